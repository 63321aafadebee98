/*
 * Finds which of these runs stand still. For our own runs we know it; for the others we ask the shim, which says so in its greeting.
 *
 * This is only for display, so a shim that does not answer within the limit counts as one that does not stand still.
 */
import { type ControlLink, openControl } from '@clawdfather/shim';
import type { SupervisorContext } from '../../context.ts';
import { stallLookMs, stallLooksAtOnceMax } from '../../limits.ts';
import type { RunId, RunRecord } from '../../types.ts';
import { readCookie, runDirOf } from '../records/run-files.ts';
import { type Stall, stallOf } from './stall.ts';

type StallDeps = Pick<SupervisorContext, 'live' | 'stateDir' | 'clock' | 'signal'>;

export async function findStalls(
  deps: StallDeps,
  records: readonly RunRecord[],
): Promise<ReadonlyMap<RunId, Stall>> {
  const found = new Map<RunId, Stall>();
  const note = (runId: RunId, stall: Stall | undefined): void => {
    if (stall !== undefined) found.set(runId, stall);
  };
  const others: RunId[] = [];
  for (const { runId, treeEndedAtMs } of records) {
    if (treeEndedAtMs !== undefined) continue;
    const owned = deps.live.get(runId);
    if (owned === undefined) others.push(runId);
    else note(runId, owned.run.stall);
  }
  for (let start = 0; start < others.length; start += stallLooksAtOnceMax) {
    const asked = others.slice(start, start + stallLooksAtOnceMax).map(async (runId) => {
      // Gone, frozen or not ours to ask: it is shown as its record says.
      note(runId, await askShim(deps, runId).catch(() => undefined));
    });
    await Promise.all(asked);
  }
  return found;
}

async function askShim(deps: StallDeps, runId: RunId): Promise<Stall | undefined> {
  const runDir = runDirOf(deps.stateDir.runsDir, runId);
  const cookie = readCookie(runDir);
  if (cookie === undefined) return undefined;
  const { clock, signal } = deps;
  using link = await openControl(runDir, cookie, { clock, signal, limitMs: stallLookMs });
  return link.hello.isBlocked ? await hearWhy(link) : undefined;
}

/* What was told before is told again to a new watcher, ahead of the answer to whatever it asks next. */
async function hearWhy(link: ControlLink): Promise<Stall | undefined> {
  let stall: Stall | undefined;
  const hear = (): Promise<unknown> =>
    link.watch((event) => {
      if (event.type === 'blocked') stall = event.isBlocked ? stallOf(event.errno) : undefined;
    });
  await hear();
  await hear();
  return stall;
}
