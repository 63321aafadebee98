/*
 * The tools `sessions_…` of an agent, answered by the gateway of this machine, as the session of this one agent: with the key of its run,
 * which lies in a file that only this side of the shield sees.
 *
 * GA1 A gateway that is away is waited for: killed, upgraded or started anew in the middle of a call, the call goes on with the next one,
 *     wherever that listens. The agent notices nothing but the wait.
 * GA2 What changes something carries one key through all attempts, so it is done once, also where an answer was lost.
 * GA3 Not for ever: an agent's own client gives up on a tool, and then nobody would hear the answer. The error names the key to go on with.
 * GA4 The key of the run goes only to the gateway of this state directory, after a look at who listens there.
 */
import { readFile } from 'node:fs/promises';
import { type Clock, CodedError, hasCode, type Random } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { SessionTools } from '@clawdfather/tools/mcp';
import { CliError } from '../errors.ts';
import { localTarget } from '../sign-in/find-gateway.ts';
import { createClientOf } from '../sign-in/open-client.ts';

export interface SessionsThroughGatewayDeps {
  readonly stateDir: string;
  /* Of the key. */
  readonly keyFile: string;
  readonly clock: Clock;
  readonly random: Random;
  /* How long a gateway is waited for; absent: the usual time. */
  readonly waitMs?: number;
}

/* Clients usually wait 60 s for a tool. A gateway is back within a few seconds, or somebody has to start it. */
const usualWaitMs = 45_000;
/* One attempt: a gateway that is frozen does not answer, and its successor would. */
const attemptMs = 10_000;
const firstPauseMs = 100;
const pauseMsMax = 2_000;

type Work = (client: Client, signal: AbortSignal) => Promise<object>;

export function createSessionsThroughGateway(deps: SessionsThroughGatewayDeps): SessionTools {
  const { random } = deps;
  const read = (signal: AbortSignal, work: Work) => untilBack(deps, { work, signal });
  const change = (
    named: string | undefined,
    signal: AbortSignal,
    work: (
      client: Client,
      options: { signal: AbortSignal; idempotencyKey: string },
    ) => Promise<object>,
  ) => {
    const key = named ?? random.id();
    return untilBack(deps, {
      signal,
      key,
      work: (client, attempt) => work(client, { signal: attempt, idempotencyKey: key }),
    });
  };
  return {
    list: (query, signal) =>
      read(signal, (client, attempt) =>
        client.agentSessions.list({ query: given(query) }, { signal: attempt }),
      ),
    history: ({ session: id, ...query }, signal) =>
      read(signal, (client, attempt) =>
        client.agentSessions.history({ params: { id }, query: given(query) }, { signal: attempt }),
      ),
    status: ({ session, receipt }, signal) => {
      const id = session ?? receipt;
      if (id === undefined || (session !== undefined && receipt !== undefined)) {
        throw new CodedError('params-invalid', 'give either session or receipt');
      }
      return read(signal, (client, attempt) => {
        const call = { params: { id } };
        const { agentSessions } = client;
        const ask = receipt === undefined ? agentSessions.status : agentSessions.receipt;
        return ask(call, { signal: attempt });
      });
    },
    send: ({ session: id, key, ...body }, signal) =>
      change(key, signal, (client, options) =>
        client.agentSessions.send({ params: { id }, body: given(body) }, options),
      ),
    spawn: ({ key, ...body }, signal) =>
      change(key, signal, (client, options) =>
        client.agentSessions.spawn({ body: given(body) }, options),
      ),
  };
}

/* Without what was left out. */
function given<Params extends object>(params: Params): Params {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Params;
}

/* GA1 */
async function untilBack(
  deps: SessionsThroughGatewayDeps,
  asked: { readonly work: Work; readonly signal: AbortSignal; readonly key?: string },
): Promise<object> {
  const { clock, waitMs = usualWaitMs } = deps;
  const { signal } = asked;
  const untilMs = clock.monotonicMs() + waitMs;
  let pauseMs = firstPauseMs;
  for (;;) {
    const tried = await tryOnce(deps, asked);
    if (tried.outcome === 'done') return tried.result;
    if (clock.monotonicMs() + pauseMs >= untilMs) throw notBack(tried.why, asked.key);
    await clock.sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, pauseMsMax);
  }
}

type Tried =
  | { readonly outcome: 'done'; readonly result: object }
  | { readonly outcome: 'away'; readonly why: unknown };

async function tryOnce(
  { stateDir, keyFile, clock }: SessionsThroughGatewayDeps,
  { work, signal }: { readonly work: Work; readonly signal: AbortSignal },
): Promise<Tried> {
  signal.throwIfAborted();
  // GA4; anew each time: the next gateway may listen elsewhere.
  const target = localTarget(stateDir, []);
  if (target === undefined) return { outcome: 'away', why: undefined };
  const key = await readKey(keyFile);
  const late = new AbortController();
  const timer = clock.timer(attemptMs, () => late.abort());
  try {
    const client = await createClientOf(target, key);
    return { outcome: 'done', result: await work(client, AbortSignal.any([signal, late.signal])) };
  } catch (error) {
    signal.throwIfAborted();
    if (late.signal.aborted || (await isAway(error))) return { outcome: 'away', why: error };
    throw await explain(error);
  } finally {
    timer.cancel();
  }
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw unknownKey(cause);
  }
}

/* It stops, starts, or cannot reach its database; or somebody else listens in its place. */
async function isAway(error: unknown): Promise<boolean> {
  if (hasCode(error, 'gateway-unreachable', 'gateway-port-taken')) return true;
  const { RefusedError } = await import('@clawdfather/sdk');
  return error instanceof RefusedError && [502, 503, 504].includes(error.refusal.status)
    ? error.refusal.code !== 'agent_spawn_failed'
    : false;
}

async function explain(error: unknown): Promise<unknown> {
  const { RefusedError } = await import('@clawdfather/sdk');
  if (!(error instanceof RefusedError)) return error;
  const { code } = error.refusal;
  if (code === 'unauthorized') return unknownKey(error);
  if (code === 'not_found') {
    return new CodedError(code, 'there is no such session or receipt, or you do not see it', {
      hint: 'sessions_list has those that you see.',
    });
  }
  if (code === 'key_reused') {
    return new CodedError(code, 'this key belongs to another call', {
      hint: 'Use a new key, or repeat that call with the same arguments.',
    });
  }
  return error;
}

function unknownKey(cause: unknown): CliError {
  return new CliError('agent-unknown-here', 'the gateway does not know this agent any more', {
    cause,
    hint: 'Its session is being closed. These tools come back with the next one.',
  });
}

/* GA3 */
function notBack(cause: unknown, key: string | undefined): CliError {
  const again =
    key === undefined
      ? 'Try again later.'
      : `Whether it was done is not known: make the same call again with key ${JSON.stringify(key)}, and it is done once.`;
  return new CliError('gateway-not-back', 'the gateway is not back yet', {
    cause,
    hint: again,
    ...(key === undefined ? {} : { detail: { key } }),
  });
}
