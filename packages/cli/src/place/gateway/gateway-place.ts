/*
 * The runs of a gateway, over its API.
 */
import type { Clock, Random } from '@clawdfather/kit';
import type { Client, LinkState, OpenSocket } from '@clawdfather/sdk';
import type { RunId, Stall } from '@clawdfather/supervisor';
import { CliError } from '../../errors.ts';
import { shortId } from '../../runs/find-run.ts';
import { stillAlive } from '../../runs/run-refusals.ts';
import type { Target } from '../../sign-in/find-gateway.ts';
import type { Place, Run, RunHandle } from '../place.ts';
import { explainRefusal } from './explain-refusal.ts';
import { createGatewayHandle } from './gateway-handle.ts';
import { listAnswers } from './list-runs.ts';
import { detailsOf, exitOf, runOf, takenBack } from './run-of-answer.ts';
import { formatMayStart } from './patience.ts';
import { startAtGateway } from './start-at-gateway.ts';
import { createTyping } from './typing.ts';

export interface GatewayPlaceDeps {
  readonly client: Client;
  readonly target: Target;
  /* What follows `clf COMMAND` to mean this place. */
  readonly flag: string;
  readonly host: string | undefined;
  readonly forRun: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly cwd: string;
  readonly onLink: (state: LinkState) => void;
  /* Over a connection that is looked at first; undefined: the usual socket. */
  readonly socket: OpenSocket | undefined;
  /* Aborts when the command is over. */
  readonly closing: AbortSignal;
  /* A line for the person. */
  readonly say: (line: string) => void;
}

export function createGatewayPlace(deps: GatewayPlaceDeps): Place {
  const { client, target, clock, flag, host } = deps;
  /* Stalls come with the list; they are kept for whoever asks next. */
  const stalled = new Map<RunId, Stall>();
  const ask = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await work();
    } catch (error) {
      throw await explainRefusal(target, error);
    }
  };
  const handleOf = (run: Run, isOurs: boolean): RunHandle =>
    createGatewayHandle({ ...deps, ask }, run, { isOurs });
  const paramsOf = ({ runId }: Pick<Run, 'runId'>) => ({ params: { id: runId } });
  return {
    flag,
    gateway: target.name,
    host,
    // Its own doctor looks for them.
    unrecorded: async () => [],
    list: async ({ isAnyHost = false, ...query }) => {
      const onHost = isAnyHost || host === undefined ? {} : { host };
      const answers = await ask(() => listAnswers(client, { ...query, ...onHost }));
      for (const { runId, stalled: why } of answers) {
        if (why === undefined) stalled.delete(runId as RunId);
        else stalled.set(runId as RunId, why);
      }
      return answers.map(runOf);
    },
    stalls: async () => stalled,
    // What is held has no details yet.
    details: async (run) =>
      run.state === 'held' ? {} : detailsOf(await ask(() => client.runs.get(paramsOf(run)))),
    // The gateway looks after runs without an owner by itself.
    settle: async () => false,
    start: async (wish, signal) => {
      const run = await ask(() =>
        startAtGateway(
          { ...deps, sayMayStart: () => deps.say(formatMayStart(flag)) },
          wish,
          signal,
        ),
      );
      return handleOf(run, true);
    },
    open: async (run) => handleOf(run, false),
    end: async (run, graceMs) => {
      const body = graceMs === undefined ? {} : { graceMs };
      const { isGone } = await ask(() => client.runs.cancel({ ...paramsOf(run), body }));
      if (run.state === 'held') return takenBack(run, clock.wallMs());
      if (!isGone) throw notGone(run);
      const { exit } = await ask(() => client.runs.wait(paramsOf(run)));
      if (exit === null) throw notGone(run);
      return exitOf(run.runId, exit);
    },
    signal: async (run, signal) =>
      void (await ask(() => client.runs.signal({ ...paramsOf(run), body: { signal } }))),
    remove: async (run, { isForced }) => {
      const isAlive = run.treeEndedAtMs === undefined && run.state !== 'held';
      if (isAlive && !isForced) throw stillAlive(run, flag);
      const query = { force: isForced ? 'true' : 'false' } as const;
      await ask(() => client.runs.remove({ ...paramsOf(run), query }));
    },
    // The gateway clears away by itself.
    removed: async () => {},
    ...createTyping({ ...deps, ask }),
  };
}

function notGone(run: Run): CliError {
  return new CliError('run-still-alive', `run ${shortId(run)} still has living processes`, {
    hint: 'It belongs to another user or is stuck in the kernel. The gateway goes on trying.',
    detail: { runId: run.runId },
  });
}
