/*
 * From what `clf run` was asked for to a run of a gateway.
 *
 * The start has a key: whoever does not hear the answer asks again and finds the same run, started once.
 */
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { CodedError, orAborted, type Random } from '@clawdfather/kit';
import type { ExecResult } from '@clawdfather/protocol';
import type { Client } from '@clawdfather/sdk';
import { nameLabel } from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError, usageError } from '../../errors.ts';
import { nameTaken } from '../../runs/run-refusals.ts';
import { hintForStart, otherDirectoryHint } from '../../runs/spawn-failure.ts';
import type { Target } from '../../sign-in/find-gateway.ts';
import { workdirOf } from '../executor.ts';
import type { Run, RunWish } from '../place.ts';
import { listAnswers } from './list-runs.ts';
import { openPatience } from './patience.ts';
import { type RetryDeps, startedOnce } from './retried.ts';
import { runOf } from './run-of-answer.ts';

export interface StartDeps extends RetryDeps {
  readonly client: Client;
  readonly random: Random;
  readonly target: Target;
  readonly flag: string;
  /* The gateway did not answer in time: what was taken back may start all the same. */
  readonly sayMayStart: () => void;
  /* Where the caller is. It means something only to a gateway of this machine. */
  readonly cwd: string;
  /* The run whose tools have asked for it. */
  readonly forRun: string | undefined;
  /* Where it is to run; undefined: on the machine of the gateway. */
  readonly host: string | undefined;
}

export async function startAtGateway(
  deps: StartDeps,
  wish: RunWish,
  signal: AbortSignal,
): Promise<Run> {
  const { client, random, clock, sayMayStart, forRun } = deps;
  const body = bodyOf(deps, wish);
  const options = { idempotencyKey: random.id(), forRun };
  using patience = openPatience(clock, signal);
  const ends = { signal: patience.over };
  const ask = () => client.runs.create({ body }, { ...options, ...ends });
  const asked = startedOnce(deps, ask, patience.over);
  const takeBack = async (): Promise<void> => {
    const result = await asked.catch(() => undefined);
    if (result === undefined) return sayMayStart();
    if ('runId' in result) await client.runs.cancel({ params: { id: result.runId ?? '' } }, ends);
  };
  try {
    const result = await orAborted(asked, signal);
    const run = runOf(await client.runs.get({ params: { id: startedId(deps, result) } }));
    if (result.status === 'failed') throwIfNotStarted(wish, result, run);
    return run;
  } catch (error) {
    if (signal.aborted) await takeBack().catch(() => sayMayStart());
    throw await explainStart(deps, wish, error);
  }
}

function bodyOf({ target, cwd, host }: StartDeps, wish: RunWish) {
  const { argv, terminal, envAdditions, timeoutMs, idleTimeoutMs, extras } = wish;
  if (wish.ownerLoss === 'kill') throw notThere('--owner-loss kill');
  if (wish.isEnvClean) throw notThere('--clean-env');
  const here = resolve(cwd, wish.cwd ?? '.');
  const workdir = workdirOf(target, { here, typed: wish.cwd, host });
  return {
    argv: [...argv],
    ...(host === undefined ? {} : { host }),
    ...(workdir === undefined ? {} : { workdir }),
    ...(Object.keys(envAdditions).length === 0 ? {} : { env: { ...envAdditions } }),
    ...(terminal === undefined ? { pty: false } : { pty: true, ...terminal }),
    ...(wish.sessionId === undefined ? {} : { sessionId: wish.sessionId }),
    // 0 is no limit; a limit that is not named would be the gateway's.
    timeoutSeconds: (timeoutMs ?? 0) / 1_000,
    ...(idleTimeoutMs === undefined ? {} : { noOutputTimeoutSeconds: idleTimeoutMs / 1_000 }),
    leftovers: wish.leftovers,
    eof: wish.stdin === 'closed' && terminal === undefined,
    background: true,
    ...extras,
  };
}

function notThere(flag: string): CliError {
  return usageError(
    `${flag} has no meaning at a gateway`,
    'Its runs always outlive whoever started them, and have the environment of the gateway, or of a login on the host.',
  );
}

/* Throws when there is no run. */
function startedId({ flag }: StartDeps, result: ExecResult): string {
  switch (result.status) {
    case 'running':
    case 'completed':
    case 'failed':
      return result.runId;
    case 'approval-pending':
      throw new CliError('approval-pending', 'nothing has started: somebody has to allow it', {
        hint: `Until ${result.expiresAt}: clf allow${flag} ${result.approvalId}. See what waits: clf approvals${flag}`,
        detail: { approvalId: result.approvalId, runId: result.runId },
      });
    case 'denied':
      throw new CliError('denied', `denied by ${result.by} (${result.rule}); nothing has started`);
  }
}

/* In the words and with the codes of a start on this machine. The gateway has looked at the file. */
function throwIfNotStarted(
  { argv: [program] }: RunWish,
  { kind, message, runId }: Extract<ExecResult, { status: 'failed' }>,
  { exit }: Run,
): void {
  const errno = startErrnos[kind];
  if (errno === undefined || exit?.reason === 'exit') return;
  const failure = exit?.failure ?? { stage: 'exec', errno };
  const hint = hintForStart(failure, program);
  throw new CodedError('spawn-failed', makeVisible(exit?.detail ?? `${program}: ${message}`), {
    detail: { ...failure, runId },
    ...(hint === undefined ? {} : { hint }),
  });
}

/* The gateway's refusal in the words of a start on this machine; any other error as it is. */
async function explainStart(
  { client, flag }: StartDeps,
  { extras: { name } }: RunWish,
  error: unknown,
): Promise<unknown> {
  const { RefusedError } = await import('@clawdfather/sdk');
  if (!(error instanceof RefusedError)) return error;
  if (name !== undefined && error.refusal.code === 'name_taken') {
    const states = ['starting', 'running', 'exiting'] as const;
    const query = { labels: { [nameLabel]: name }, states, limit: 1 };
    const [holder] = await listAnswers(client, query);
    return nameTaken(name, holder === undefined ? undefined : runOf(holder), flag);
  }
  if (error.detail['reason'] !== 'workdir-unusable') return error;
  return new CodedError('spawn-failed', error.message, {
    hint: otherDirectoryHint,
    detail: { stage: 'cwd' },
  });
}

const startErrnos: Readonly<Record<string, number>> = {
  'command-not-found': constants.errno.ENOENT,
  'not-executable': constants.errno.EACCES,
};
