/*
 * A run this supervisor owns: hears the shim, moves the lifecycle, does what the transition asks for.
 *
 * `nextRun` decides; this file only carries out. One place assigns the state (`apply`); an end may get its explanation after it. Commits go through the
 * registry's queue, fenced by our epoch: a refusal means that the run was stolen, and from then on nothing is done
 * here any more (O3). A commit that fails otherwise is tried again and never ends the run (S1). Waiting settles on
 * the shim's record even when the registry cannot take it.
 *
 * A class, because a thousand of these live at once: identity, state and lifetime.
 */
import { type Deferred, deferred } from '@clawdfather/kit';
import {
  type DoorbellAnswer,
  type RunEvent as ShimEvent,
  ShimRefusedError,
} from '@clawdfather/shim';
import { SupervisorError } from '../../errors.ts';
import { nextRun } from '../../lifecycle/next-run.ts';
import type {
  ExitCause,
  RunAction,
  RunEvent,
  RunLifecycle,
} from '../../lifecycle/run-lifecycle.ts';
import type { ExplainExit } from '../../supervisor-deps.ts';
import type { ExitExplanation, RunExit } from '../../run-end.ts';
import type { CancelReason, TerminationReason } from '../../types.ts';
import { type ControlLine, isShimGoneError } from '../shim-link/control-line.ts';
import { createEndingSignal, type EndingSignal } from '../wait/ending-signal.ts';
import { createNews, type News } from '../wait/news.ts';
import type { RunCommits } from './run-commits.ts';
import { exitWithoutRecord, treeEndUnseen } from '../records/run-exit.ts';
import { lastSeenOf, scanRun, voidIntent } from '../records/run-files.ts';
import type { RunIdentity } from './run-identity.ts';
import { lifecycleEventOf, type SpawnFailure } from '../shim-link/shim-news.ts';
import { createOutputClock, type OutputClock } from '../output/output-clock.ts';
import { type Stall, stallOf } from '../output/stall.ts';
import { exitOffset } from '../records/written-to.ts';

export interface LiveRunDeps {
  readonly identity: RunIdentity;
  readonly commits: RunCommits;
  readonly control: ControlLine;
  readonly initial: RunLifecycle;
  readonly wallMs: () => number;
  readonly explainExit: ExplainExit;
  /* The link to the shim is lost: find out what became of it. */
  readonly onLinkLost: () => void;
  /* It is not ours to act on any more. */
  readonly onLost: (error: SupervisorError) => void;
  readonly onExited: () => void;
  readonly onNews: (event: ShimEvent | RunEvent, why: string) => void;
}

export class LiveRun {
  readonly identity: RunIdentity;
  readonly control: ControlLine;
  readonly news: News = createNews();
  readonly ending: EndingSignal = createEndingSignal();
  readonly #deps: LiveRunDeps;
  readonly #started: Deferred<void> = deferred();
  readonly #settled: Deferred<RunExit> = deferred();
  #state: RunLifecycle;
  #lostBecause: SupervisorError | undefined;
  #journalLength = 0;
  readonly #outputClock: OutputClock;
  #inlined: Buffer | undefined;
  #spawnError: SpawnFailure | undefined;
  #pid: number | undefined;
  #graceMs: number | undefined;
  #stall: Stall | undefined;
  #explaining: Promise<void> | undefined;

  constructor(deps: LiveRunDeps) {
    this.#deps = deps;
    this.#state = deps.initial;
    this.identity = deps.identity;
    this.control = deps.control;
    this.#outputClock = createOutputClock(deps.identity.runDir);
    /* If no caller waits, the rejection must not end the process. */
    this.started.catch(() => undefined);
    this.settled.catch(() => undefined);
    if (deps.initial.kind !== 'exited') this.#pid = deps.initial.process?.pid;
    if (deps.initial.kind !== 'starting') this.#started.resolve();
    if (deps.initial.kind === 'exited') this.#settled.resolve(deps.initial.exit);
  }

  get state(): RunLifecycle {
    return this.#state;
  }

  /* The process is committed, or there will never be one. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get settled(): Promise<RunExit> {
    return this.#settled.promise;
  }

  get isShimGone(): boolean {
    return this.#state.kind === 'exited' && this.#state.isTreeGone;
  }

  /* Reads what the journal has got since it was last asked for. */
  lastOutputAtMs(): number | undefined {
    return this.#outputClock.lastOutputMs();
  }

  /* Why its output cannot be kept, while it cannot (J4). */
  get stall(): Stall | undefined {
    return this.#state.kind === 'exited' ? undefined : this.#stall;
  }

  /* The journal as END brought it, if it is small. */
  get inlined(): Buffer | undefined {
    return this.#inlined;
  }

  /* Known from the shim's report on, and after the end. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /* Set once nothing is done or heard here any more. */
  get lostBecause(): SupervisorError | undefined {
    return this.#lostBecause;
  }

  get spawnError(): SpawnFailure | undefined {
    return this.#spawnError;
  }

  /* How long the journal is at least. */
  get writtenTo(): number {
    if (this.#state.kind !== 'exited') return this.#journalLength;
    return Math.max(this.#journalLength, exitOffset(this.#state.exit));
  }

  /* There is more in the journal. */
  hearBell(bell: DoorbellAnswer): void {
    this.#grown(bell.journalLength);
    this.news.post(bell);
  }

  hear(event: ShimEvent): void {
    if (this.#lostBecause !== undefined) return;
    if (event.type === 'lost') return this.#deps.onLinkLost();
    if (event.type === 'blocked') {
      this.#stall = event.isBlocked ? stallOf(event.errno) : undefined;
      this.#deps.onNews(event, event.why ?? '');
    }
    if (event.type === 'spawn-error') this.#spawnError = event;
    if (event.type === 'end') this.#inlined = event.journal;
    if ('journalLength' in event) this.#grown(event.journalLength);
    if (event.type === 'exit') this.#outputClock.told(event.exit.lastOutputUs);
    if (event.type === 'end') this.#outputClock.told(event.end.lastOutputUs);
    const happened = lifecycleEventOf(event, {
      identity: this.identity,
      state: this.#state,
      wallMs: this.#deps.wallMs,
      lastSeenMs: () => {
        const found = scanRun(this.identity.runDir);
        return lastSeenOf(found.kind === 'found' ? found.scan : undefined);
      },
    });
    if (happened === undefined) this.news.post(event.type === 'doorbell' ? event : undefined);
    else this.apply(happened);
  }

  #grown(journalLength: number): void {
    this.#journalLength = journalLength;
    this.#outputClock.grown(journalLength);
  }

  cancel(reason: CancelReason, actor: string | undefined, graceMs?: number): void {
    const isAgain = this.#state.kind === 'exiting' && this.#state.process !== undefined;
    this.#graceMs = graceMs ?? this.#graceMs;
    this.apply({ type: 'cancel-requested', reason, actor });
    /* The cause stands, but less patience is heard (T2). */
    if (isAgain && graceMs !== undefined) {
      void this.#terminate({ reason, actor }).catch(this.#deps.onLinkLost);
    }
  }

  /*
   * Tells the shim again that its run is to be ended: the process that asked for it died before it told the shim, or the shim
   * could not be reached.
   */
  insist(): void {
    if (this.#state.kind === 'exiting')
      this.#perform({ type: 'terminate', cause: this.#state.cause });
  }

  /* The one place that assigns the state. */
  apply(event: RunEvent): void {
    if (this.#lostBecause !== undefined) return;
    const { state, actions, why } = nextRun(this.#state, event);
    this.#state = state;
    if (event.type === 'spawned') this.#pid = event.process.pid;
    if (state.kind === 'running') this.#started.resolve();
    if (state.kind === 'exiting') this.ending.begin(state.cause.reason);
    if (state.kind === 'exited') this.ending.begin(state.exit.reason);
    this.#deps.onNews(event, why);
    for (const action of actions) this.#perform(action);
    this.news.post();
  }

  #perform(action: RunAction): void {
    const { commits } = this.#deps;
    switch (action.type) {
      case 'commit-process':
        return commits.running(action.process, () => this.apply({ type: 'committed' }));
      case 'commit-exiting':
        return commits.exiting();
      case 'void-intent':
        return this.#voidIntent();
      case 'terminate':
        return void this.#terminate(action.cause).catch(this.#deps.onLinkLost);
      case 'finalise':
        return this.#finalise(action.exit, action.isTreeGone);
      case 'commit-tree-gone':
        return this.#whenExplained(() =>
          commits.treeGone({
            treeEnd: action.treeEnd ?? treeEndUnseen(this.#deps.wallMs()),
            lastOutputAtMs: this.lastOutputAtMs(),
          }),
        );
    }
  }

  /* Those who carry it may know why it ended; an answer that fails is none. */
  #finalise(found: RunExit, isTreeGone: boolean): void {
    const finalise = (explanation?: ExitExplanation): void => {
      this.#explaining = undefined;
      if (this.#lostBecause !== undefined) return;
      const exit = explanation === undefined ? found : explainedExit(found, explanation);
      if (this.#state.kind === 'exited') this.#state = { ...this.#state, exit };
      const journalBytes = this.#journalLength;
      const lastOutputAtMs = this.lastOutputAtMs();
      const settlement = { exit, isTreeGone, journalBytes, lastOutputAtMs };
      this.#deps.commits.finalise(settlement, () => this.#settle(exit));
    };
    const asked = this.#deps.explainExit(found);
    if (asked === undefined) return finalise();
    // Its start is over, also where its end came with it: whoever started it does not wait for the explanation.
    this.#started.resolve();
    this.#explaining = asked.catch(() => undefined).then(finalise);
  }

  /* In the order of the facts: what comes after the end is recorded after it. */
  #whenExplained(work: () => void): void {
    if (this.#explaining === undefined) work();
    else void this.#explaining.then(work);
  }

  #voidIntent(): void {
    const { runId, runDir } = this.identity;
    if (voidIntent(runDir) === 'claimed') return;
    const detail = 'cancelled before it was started';
    const endedAtMs = this.#deps.wallMs();
    const exit = exitWithoutRecord(runId, 'manual-cancel', { endedAtMs, detail });
    this.apply({ type: 'voided', exit });
  }

  async #terminate(cause: ExitCause): Promise<void> {
    try {
      const reason = asCancelReason(cause.reason);
      const graceMs = this.#graceMs;
      const actor = cause.actor ?? '';
      await this.control.request({ type: 'terminate', reason, actor, graceMs });
    } catch (error) {
      if (error instanceof ShimRefusedError && error.refusal === 'stale-epoch')
        this.lose(epochStale(this.identity));
      else if (isShimGoneError(error)) this.#deps.onLinkLost();
      else throw error;
    }
  }

  /* O3: another owner has it, or we are closing. Nothing is done here any more, and the run goes on. */
  lose(error: SupervisorError): void {
    if (this.#lostBecause !== undefined) return;
    this.#lostBecause = error;
    this.#started.reject(error);
    this.#settled.reject(error);
    this.#deps.onLost(error);
    this.news.post();
  }

  #settle(exit: RunExit): void {
    this.#started.resolve();
    this.#settled.resolve(exit);
    this.news.post();
    this.#deps.onExited();
  }
}

/* What the run says of itself stays. */
function explainedExit(exit: RunExit, { hostCause, detail }: ExitExplanation): RunExit {
  return { ...exit, hostCause, detail: exit.detail ?? detail };
}

function epochStale({ runId }: RunIdentity): SupervisorError {
  return new SupervisorError('epoch-stale', `run ${runId} has a newer owner`, {
    detail: { runId },
  });
}

/* The shim takes the reasons that can be asked for; the others are facts that it finds itself. */
function asCancelReason(reason: TerminationReason): CancelReason {
  switch (reason) {
    case 'overall-timeout':
    case 'no-output-timeout':
    case 'owner-lost':
      return reason;
    default:
      return 'manual-cancel';
  }
}
