/*
 * One run of a gateway, as a handle that behaves like one of this machine: it survives lost connections and a gateway that is
 * started again, and ends nothing by going away.
 */
import type { Clock, Random } from '@clawdfather/kit';
import { type Client, type LinkState, RefusedError } from '@clawdfather/sdk';
import type { RunExit } from '@clawdfather/supervisor';
import { CliError } from '../../errors.ts';
import { shortId } from '../../runs/find-run.ts';
import type { Run, RunHandle } from '../place.ts';
import { followOutput, outputSoFar } from './follow-output.ts';
import { createInputSender } from './input-sender.ts';
import { retried } from './retried.ts';
import { runOf } from './run-of-answer.ts';

export interface GatewayHandleDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly onLink: (state: LinkState) => void;
  /* Aborts when the command is over. */
  readonly closing: AbortSignal;
  /* A line for the person. */
  readonly say: (line: string) => void;
  /* Rejects as the same mistake does on this machine. */
  readonly ask: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
}

/* One question waits this long; then it is asked again. */
const waitMs = 50_000;
/* How often a tree is looked at that outlives its run. */
const treeLookMs = 500;

export function createGatewayHandle(
  deps: GatewayHandleDeps,
  run: Run,
  { isOurs }: { readonly isOurs: boolean },
): RunHandle {
  const { client, clock, random, onLink, ask, closing } = deps;
  const { runId } = run;
  const params = { id: runId };
  const isTerminal = run.mode !== 'child';
  const onLost = (bytes: number): void => {
    if (bytes > 0)
      deps.say(`${bytes} bytes of input may not have arrived; they are not sent again`);
  };
  const sender = createInputSender({ ...deps, runId, isOurs, isTerminal, onLost });
  let known = run;
  const learn = (found: Run): Run => {
    known = found;
    return found;
  };
  const until = (signal?: AbortSignal): AbortSignal =>
    signal === undefined ? closing : AbortSignal.any([closing, signal]);
  const following = (signal?: AbortSignal) => ({ clock, random, onLink, signal: until(signal) });
  const follow = (cursor?: string, signal?: AbortSignal) =>
    explained(ask, followOutput({ client, runId, since: cursor }, following(signal)));

  const wait = async (signal?: AbortSignal): Promise<RunExit> => {
    for (;;) {
      if (known.exit !== undefined) return known.exit;
      const ends = { signal: until(signal) };
      const look = () => client.runs.wait({ params, query: { timeoutMs: waitMs } }, ends);
      const askedAtMs = clock.monotonicMs();
      learn(runOf(await ask(() => retried(deps, look, ends.signal))));
      const isEarly = clock.monotonicMs() - askedAtMs < waitMs / 2;
      if (known.state === 'held' && isEarly) throw neverStarts(run);
    }
  };

  return {
    runId,
    wait,
    output: follow,
    outputLent: follow,
    outputSoFar: (cursor, signal) =>
      explained(ask, outputSoFar({ client, runId, since: cursor }, following(signal))),
    waitTree: async (signal) => {
      await wait(signal);
      while (known.treeEndedAtMs === undefined) {
        const ends = { signal: until(signal) };
        const look = () => client.runs.get({ params }, ends);
        learn(runOf(await ask(() => retried(deps, look, ends.signal))));
        if (known.treeEndedAtMs === undefined) await clock.sleep(treeLookMs, ends.signal);
      }
      return known.exit?.treeEnd;
    },
    write: (data) => ask(() => sender.send(typeof data === 'string' ? Buffer.from(data) : data)),
    end: () => ask(() => sender.end()),
    resize: async (body) => void (await ask(() => client.runs.resize({ params, body }))),
    signal: async (signal) =>
      void (await ask(() => client.runs.signal({ params, body: { signal } }))),
    // Its reason and who asked are for the gateway to say.
    cancel: async (_reason, _actor, graceMs) => {
      const body = graceMs === undefined ? {} : { graceMs };
      await ask(() => client.runs.cancel({ params, body }));
    },
    snapshot: () => known,
  };
}

/* The gateway answers before its time only when there is nothing to wait for. */
function neverStarts(run: Run): CliError {
  return new CliError(
    'denied',
    `run ${shortId(run)} was denied, taken back or not decided in time`,
    {
      detail: { runId: run.runId },
    },
  );
}

/* What is refused in the middle of a stream is told like what is refused at once. */
export async function* explained<Event>(
  ask: GatewayHandleDeps['ask'],
  events: AsyncGenerator<Event, void, undefined>,
): AsyncGenerator<Event, void, undefined> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    await ask(() => Promise.reject(error));
  }
}
