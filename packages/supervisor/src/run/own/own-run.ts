/*
 * Taking a run in hand: the live run with its commits, its control line and its place in the table.
 *
 * The same for a run we start and for one we adopt; they differ only in where their news come from, and that may
 * change too: when the link through spawnd is lost, the shim's own socket takes over (T7).
 */
import { type ControlLink, type JournalScan, ShimRefusedError } from '@clawdfather/shim';
import { announceExit, announceNews } from '../../announce.ts';
import { actorOf, ownerIdentityOf, type SupervisorContext } from '../../context.ts';
import { endTree } from '../../evidence/end-tree.ts';
import type { RunLifecycle } from '../../lifecycle/run-lifecycle.ts';
import { createControlLine } from '../shim-link/control-line.ts';
import { followShim } from '../shim-link/follow-shim.ts';
import { createKeepAlive } from '../wait/keep-alive.ts';
import { LiveRun } from './live-run.ts';
import type { OwnedRun } from './live-runs.ts';
import { createRunCommits } from './run-commits.ts';
import { exitWithoutRecord, runExitOf, treeEndUnseen } from '../records/run-exit.ts';
import { formatShimDied } from '../records/shim-died.ts';
import { lastSeenOf, scanRun, voidIntent } from '../records/run-files.ts';
import type { RunIdentity } from './run-identity.ts';
import { runAsOf } from '../records/run-meta.ts';

export function ownRun(
  context: SupervisorContext,
  identity: RunIdentity,
  initial: RunLifecycle,
): OwnedRun {
  const { clock, live, registry, log } = context;
  const { runId, runDir, epoch } = identity;
  const keepAlive = createKeepAlive();
  const control = createControlLine({
    runDir,
    cookie: () => identity.cookie,
    clock,
    ownEpoch: () => epoch,
    onBell: (bell) => run.hearBell(bell),
  });

  const release = (reason?: Error): void => {
    owned.stop?.abort();
    control.close(reason);
    if (live.get(runId) === owned) live.delete(runId);
  };
  const commits = createRunCommits({
    registry,
    clock,
    key: { runId, epoch },
    onStolen: (error) => run.lose(error),
    onFailed: (error) => log.warn('registry.write-failed', { runId, error: String(error) }),
  });
  const run: LiveRun = new LiveRun({
    identity,
    commits,
    control,
    initial,
    wallMs: () => clock.wallMs(),
    explainExit: context.explainExit,
    onLost: (error) => {
      log.event('run.let-go', { runId, epoch, why: error.code });
      release(error);
    },
    onLinkLost: () => follow(context, owned),
    onExited: () => {
      announceExit(context, run);
      if (run.isShimGone) release();
    },
    onNews: (event, why) => {
      announceNews(context, run, { event, why });
      /* Settled before; now the rest of its tree is gone too. */
      if (event.type !== 'committed' && hasSettled && run.isShimGone) release();
      hasSettled ||= run.state.kind === 'exited';
    },
  });
  let hasSettled = initial.kind === 'exited';
  const owned: OwnedRun = { run, keepAlive, release, outbox: Promise.resolve(), stop: undefined };
  live.set(runId, owned);
  return owned;
}

/* Until the run is over: its own socket tells. Once per run. */
export function follow(context: SupervisorContext, owned: OwnedRun, first?: ControlLink): void {
  const { run, keepAlive } = owned;
  const { runDir, runId } = run.identity;
  if (owned.stop !== undefined || context.signal.aborted) return first?.close();
  owned.stop = new AbortController();
  const signal = AbortSignal.any([owned.stop.signal, context.signal]);
  const { clock, processTable, log } = context;
  const onGone = (scan: JournalScan | undefined): void => void shimGone(context, run, scan);
  followShim({
    runDir,
    control: run.control,
    keepAlive,
    clock,
    processTable,
    signal,
    first,
    onConnected: async ({ hello }) => {
      if (hello.state === 'starting' || hello.state === 'running') run.insist();
    },
    onEvent: (event) => {
      if (event.type === 'doorbell') learnStart(run);
      run.hear(event);
    },
    onGone,
    onUnclaimed: () => {
      if (voidIntent(runDir) === 'claimed') return false;
      onGone(undefined);
      return true;
    },
    onUncertain: (why) => log.warn('run.uncertain', { runId, why }),
  })
    .catch((error: unknown) => {
      if (!signal.aborted) log.warn('run.follow-failed', { runId, error: String(error) });
    })
    .finally(() => {
      owned.stop = undefined;
    });
}

/*
 * The shim tells a start once, to those who listen then. Who comes later, an adopter say, finds it in the journal; the
 * doorbell that answers every watch is the occasion, so none falls between looking and listening.
 */
function learnStart(run: LiveRun): void {
  const { state, identity } = run;
  if (state.kind === 'exited' || state.process !== undefined) return;
  const found = scanRun(identity.runDir);
  const start = found.kind === 'found' ? found.scan.start : undefined;
  if (start !== undefined) run.hear({ type: 'started', start });
}

/* The shim died and left no end record: nothing started, or its tree is swept by what can be proven (T8). */
async function shimGone(
  context: SupervisorContext,
  run: LiveRun,
  scan: JournalScan | undefined,
): Promise<void> {
  const { runId } = run.identity;
  const endedAtMs = context.clock.wallMs();
  if (scan === undefined) {
    const detail = 'it was lost before a shim claimed it';
    const exit = exitWithoutRecord(runId, 'spawn-error', { endedAtMs, detail });
    return run.apply({ type: 'spawn-failed', exit });
  }
  const record = context.registry.get(runId);
  const ended =
    record === undefined
      ? { killed: 0, isGone: false }
      : await endTree(context, record, runAsOf(scan));
  const detail = formatShimDied({
    shimPid: scan.start?.shimPid ?? record?.shimPid,
    ended: ended.killed,
    isExitKnown: scan.exit !== undefined,
  });
  const killed = { pid: ended.killed, pgid: 0, cgroup: 0 };
  const known =
    scan.exit &&
    runExitOf(runId, { exit: scan.exit, end: undefined, journalLength: scan.endOffset });
  const treeEnd = ended.isGone ? treeEndUnseen(endedAtMs, ended.killed) : undefined;
  const exit = known
    ? { ...known, detail, killed, treeEnd }
    : exitWithoutRecord(runId, 'unknown', {
        endedAtMs,
        lastSeenAtMs: lastSeenOf(scan),
        detail,
        killed,
        startedAtMs: record?.startedAtMs,
        treeEnd,
      });
  run.apply({ type: 'shim-lost', exit, isTreeGone: ended.isGone });
}

/* O3: the shim's answer to the claim comes before anything else is done. Returns false when it is not ours. */
export async function claimRun(
  context: SupervisorContext,
  link: ControlLink,
  epoch: number,
): Promise<boolean> {
  const owner = context.owner();
  try {
    await link.request({ type: 'claim', epoch, ...ownerIdentityOf(owner) });
    return true;
  } catch (error) {
    if (error instanceof ShimRefusedError && error.refusal === 'stale-epoch') {
      context.log.warn('run.claim-refused', {
        actor: actorOf(owner),
        epoch,
        shimEpoch: error.epoch,
      });
      return false;
    }
    throw error;
  }
}
