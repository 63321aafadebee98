/*
 * The runs of this machine's state directory, through a supervisor of our own and without any daemon.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Random } from '@clawdfather/kit';
import type { RunId, RunRecord, Supervisor } from '@clawdfather/supervisor';
import type { Config } from '../config.ts';
import { endRun } from '../runs/end-run.ts';
import { forgetRemoved } from '../runs/forget-removed.ts';
import { actorHere } from '../runs/who-asks.ts';
import { noTerminal, runEnded, stillAlive } from '../runs/run-refusals.ts';
import { createHeldHere } from './held-here.ts';
import { listHere } from './list-here.ts';
import type { Place, Run } from './place.ts';
import { createSettler, type RunHere } from './settle-here.ts';

export interface ThisMachineDeps {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly random: Random;
  readonly config: Config;
  /* What follows `clf COMMAND` to mean this machine. */
  readonly flag: string;
  /* `local`, or undefined: runs on other hosts too, which a gateway of this machine has started. */
  readonly host: string | undefined;
}

export function createThisMachine(deps: ThisMachineDeps): Place {
  const { supervisor, clock, random, config, flag, host } = deps;
  const actor = actorHere(config.pid);
  const settle = createSettler({ supervisor, clock });
  const attach = (run: Pick<Run, 'runId'>) => supervisor.attach(run.runId);
  const attachLiving = async (run: Run) => {
    if (run.exit !== undefined) throw runEnded(run, flag);
    return attach(run);
  };
  return {
    flag,
    gateway: undefined,
    host,
    unrecorded: async () => unrecorded(supervisor, join(config.stateDir, 'runs')),
    held: createHeldHere({ config, clock }),
    list: async (query) => listHere(supervisor, host, query),
    // Every run that this place hands out is a record of the supervisor.
    stalls: (runs) => supervisor.stalls(runs as readonly RunRecord[]),
    details: async (run) => {
      const record = run as RunRecord;
      return { ...supervisor.detail(record), shimPid: record.shimPid };
    },
    settle: (runs) => settle(runs as readonly RunHere[]),
    start: async (wish, signal) => {
      const { startHere } = await import('./start-here.ts');
      return startHere({ supervisor, config, clock, random }, wish, signal);
    },
    open: attach,
    end: (run, graceMs) => endRun({ supervisor, clock, run, actor, graceMs }),
    signal: async (run, name) => (await attach(run)).signal(name, actor),
    remove: async (run, { isForced }) => {
      const isAlive = run.treeEndedAtMs === undefined;
      if (isAlive && !isForced) throw stillAlive(run, flag);
      if (isAlive) await endRun({ supervisor, clock, run, actor, graceMs: undefined });
      await supervisor.remove(run.runId);
      // Where nothing can be written the files are all there is to remove, and that may fail as well.
      if (supervisor.unwritable !== undefined) await forgetRemoved(supervisor);
    },
    removed: async ({ isForced }) => {
      // The end of a run without an owner is on record once somebody has looked.
      if (isForced) await supervisor.reconcile();
      await forgetRemoved(supervisor);
    },
    screen: async (run) => {
      const { lookAtScreen } = await import('../runs/type-into-run.ts');
      return lookAtScreen(await attach(run), run);
    },
    sendKeys: async (run, keys) => {
      const { sendKeys } = await import('../runs/type-into-run.ts');
      return sendKeys({ handle: await attachLiving(run), run, clock }, keys);
    },
    paste: async (run, text) => {
      const { paste } = await import('../runs/type-into-run.ts');
      return paste({ handle: await attachLiving(run), run, clock }, text);
    },
    resize: async (run, size) => {
      if (run.mode === 'child') throw noTerminal(run, flag);
      await (await attachLiving(run)).resize(size);
    },
    sendInput: async (run, bytes, { isEof }) => {
      const { typeInto } = await import('../runs/type-into-run.ts');
      const handle = await attachLiving(run);
      if (bytes.length > 0) await typeInto(handle, bytes, clock);
      if (isEof) await handle.end();
    },
    openTerminal: async (handle, options) => {
      const { openFeedHere } = await import('./feed-here.ts');
      return openFeedHere(await attach(handle), options);
    },
  };
}

function unrecorded(supervisor: Supervisor, runsDir: string): readonly string[] {
  const directories = readdirSync(runsDir, { withFileTypes: true });
  return directories.flatMap(({ name }) => {
    const isKnown = name.startsWith('.') || supervisor.get(name as RunId) !== undefined;
    // An empty one is a start that is under way, or came to nothing (S1).
    return isKnown || readdirSync(join(runsDir, name)).length === 0 ? [] : [name];
  });
}
