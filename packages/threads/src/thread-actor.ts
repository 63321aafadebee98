/*
 * One thread in this process: sees to it that what its rows call for happens. It keeps nothing that is not in the rows or in the
 * supervisor, so it can be lost at any moment and made anew.
 *
 * `kick` says "look again". A look: start an agent for a turn that has none; take an agent over that an earlier owner has started; deliver
 * what was committed; end an agent that has to end. Looks follow one another; kicks that come meanwhile are one more look.
 */
import {
  type AgentRunRow,
  beginClosing,
  beginRun,
  cancelGraceMs,
  cancelTurn,
  endRun,
  failStart,
  giveUpTurn,
  handshakeMs,
  holdRun,
  type RunEnd,
  type ThreadRecords,
  type ThreadRows,
} from '@clawdfather/agents';
import { type AccountId, type Clock, type Log, type Random, type Timer } from '@clawdfather/kit';
import type { ManagedRun, RunId, Supervisor } from '@clawdfather/supervisor';
import { type AgentHold, type HoldEnd, holdAgent } from './agent-hold.ts';
import { formatRunEnd } from './format-run-end.ts';
import type { EventDesk } from './event-desk.ts';
import type { ThreadsObserver } from './observer.ts';
import type { AgentPlan, AgentStarter, CrashPoint } from './ports.ts';
import { KeptRows } from './thread-rows.ts';

export interface ThreadActorDeps {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly records: ThreadRecords;
  readonly desk: EventDesk;
  readonly observer: ThreadsObserver;
  readonly supervisor: Pick<Supervisor, 'get' | 'attach' | 'instanceId'>;
  readonly starter: AgentStarter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
  /* A turn has ended, or its agent has: the queue may go on. */
  readonly onFree: () => void;
}

export class ThreadActor {
  readonly rows: KeptRows;
  readonly #deps: ThreadActorDeps;
  readonly #stop = new AbortController();
  #plan: AgentPlan | undefined;
  #hold: AgentHold | undefined;
  #looking: Promise<void> | undefined;
  #isKicked = false;
  #timer: Timer | undefined;

  constructor(deps: ThreadActorDeps) {
    this.#deps = deps;
    this.rows = new KeptRows(deps);
  }

  /* It has no agent, no turn, and nothing under way. */
  get isIdle(): boolean {
    const { known } = this.rows;
    const isBusy = this.#hold !== undefined || this.#looking !== undefined || known === undefined;
    return (
      !isBusy && known.run === undefined && known.turn === undefined && known.queue.length === 0
    );
  }

  kick(): void {
    this.#isKicked = true;
    if (this.#stop.signal.aborted) return;
    this.#looking ??= this.#deps.observer
      .apart(() => this.#look())
      .finally(() => {
        this.#looking = undefined;
        if (this.#isKicked) this.kick();
      });
  }

  /* Lets go of everything and ends nothing. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#timer?.cancel();
    await this.#looking;
    await this.#hold?.done.catch(() => undefined);
  }

  async #look(): Promise<void> {
    while (this.#isKicked && !this.#stop.signal.aborted) {
      this.#isKicked = false;
      try {
        await this.#step();
      } catch (error) {
        // The next kick looks again; a database that is away for a moment is asked again soon.
        if (this.#stop.signal.aborted) return;
        const { threadId } = this.#deps;
        this.#deps.log.warn('thread.step-failed', { threadId, error });
        this.#arm(1_000);
      }
    }
  }

  async #step(): Promise<void> {
    const rows = await this.rows.read();
    const { run, turn } = rows;
    if (run === undefined) {
      if (turn !== undefined) await this.#begin(rows);
      return;
    }
    if (run.instanceId !== this.#deps.supervisor.instanceId) return;
    this.#hold ??= await this.#takeOver(rows, run);
    if (this.#hold === undefined) return;
    if (run.state === 'closing') await this.#endProcess(this.#hold.run);
    else await this.#hold.deliver();
    await this.#judge();
  }

  async #planOf({ thread }: ThreadRows): Promise<AgentPlan> {
    this.#plan ??= await this.#deps.starter.plan(this.#deps.accountId, thread);
    return this.#plan;
  }

  /* The lease first, then the process: a crash in between leaves a lease that the next owner finds. */
  async #begin(rows: ThreadRows): Promise<void> {
    const { random, supervisor, clock, accountId, starter } = this.#deps;
    this.#plan = undefined;
    try {
      this.#plan = await starter.plan(accountId, rows.thread);
    } catch (error) {
      await this.#failTurn(error);
      return;
    }
    const { commandHash, sessionId } = this.#plan;
    const runId = random.id() as RunId;
    const lease = { runId, leaseId: random.id(), instanceId: supervisor.instanceId, commandHash };
    await this.rows.change((now) => {
      const change = beginRun(now, { ...lease, sessionId }, clock.wallMs());
      return change && { change };
    });
    this.#isKicked = true;
  }

  /* Of a run that was begun: by us a moment ago, or by an earlier owner. */
  async #takeOver(rows: ThreadRows, run: AgentRunRow): Promise<AgentHold | undefined> {
    const { supervisor, onPoint } = this.#deps;
    const record = supervisor.get(run.runId);
    if (record === undefined && run.process !== undefined) {
      // It was there, and no trace of it is left: its record was removed.
      await this.#ended(run.runId, {
        reason: 'unknown',
        message: 'there is no record of how it ended',
        endedAtMs: this.#deps.clock.wallMs(),
        state: 'lost',
      });
      return undefined;
    }
    let managed: ManagedRun;
    try {
      const plan = await this.#planOf(rows);
      onPoint?.('before-spawn');
      managed =
        record === undefined
          ? await plan.start(run, rows.turn)
          : await supervisor.attach(run.runId);
      onPoint?.('after-spawn');
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      await this.#ended(run.runId, {
        reason: 'spawn-error',
        message: error instanceof Error ? error.message : String(error),
        endedAtMs: this.#deps.clock.wallMs(),
        state: 'closed',
      });
      return undefined;
    }
    return this.#holdOn(managed, await this.#planOf(rows));
  }

  async #holdOn(managed: ManagedRun, { setup }: AgentPlan): Promise<AgentHold | undefined> {
    const { clock, records, log, onPoint } = this.#deps;
    const { runId } = managed;
    const { epoch, pid, processGroupId, startTicks, bootId } = managed.snapshot();
    const process =
      pid === undefined || startTicks === undefined
        ? undefined
        : { rootPid: pid, processGroupId: processGroupId ?? pid, startTicks, bootId };
    const held = await this.rows.change((now) => {
      const change = holdRun(now, { runId, epoch, process }, { setup, atMs: clock.wallMs() });
      return change && { change };
    });
    if (held?.run === undefined) return undefined;
    const deps = {
      rows: this.rows,
      records,
      run: managed,
      setup,
      epoch,
      clock,
      log,
      onPoint,
      onConsumed: (hadTurn: boolean) => this.#consumed(hadTurn),
    };
    const hold = holdAgent(deps, held.run, this.#stop.signal);
    void this.#follow(hold);
    return hold;
  }

  async #follow(hold: AgentHold): Promise<void> {
    try {
      await this.#afterHold(hold, await hold.done);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const { log, threadId } = this.#deps;
      log.warn('thread.agent-lost-sight', { threadId, error });
      await this.rows.forget();
      this.#hold = undefined;
      this.#arm(1_000);
    }
  }

  async #afterHold({ run }: AgentHold, end: HoldEnd): Promise<void> {
    switch (end.kind) {
      case 'superseded':
        // Another owner has it, and looks after it; here nothing more is done for this thread.
        await this.rows.forget();
        this.#hold = undefined;
        return;
      case 'overlong':
        await this.#endProcess(run);
        await this.#ended(run.runId, {
          reason: 'manual-cancel',
          message: 'a message of the agent was longer than any may be, so it was ended',
          endedAtMs: this.#deps.clock.wallMs(),
          state: 'closed',
        });
        break;
      case 'ended': {
        const { reason, endedAtMs } = end.exit;
        const message = formatRunEnd(end.exit);
        await this.#ended(run.runId, { reason, message, endedAtMs, state: 'closed' });
      }
    }
    this.#hold = undefined;
    this.#deps.onFree();
    this.kick();
  }

  async #ended(runId: RunId, end: Omit<RunEnd, 'runId'>): Promise<void> {
    const { clock } = this.#deps;
    await this.rows.change((now, text) => {
      const change = endRun(now, { runId, ...end }, { text, atMs: clock.wallMs() });
      return change && { change };
    });
    this.#plan = undefined;
    this.#deps.onFree();
    this.#isKicked = true;
  }

  async #failTurn(error: unknown): Promise<void> {
    const { clock } = this.#deps;
    const message = error instanceof Error ? error.message : String(error);
    await this.rows.change((now) => {
      const change = failStart(now, message, clock.wallMs());
      return change && { change };
    });
    this.#deps.onFree();
  }

  async #endProcess(run: ManagedRun): Promise<void> {
    await run.cancel('manual-cancel', this.#deps.supervisor.instanceId);
  }

  #consumed(hadTurn: boolean): void {
    this.kick();
    if (hadTurn && this.rows.known?.turn === undefined) this.#deps.onFree();
  }

  /* What is due by the clock: a handshake or a turn that takes too long, a cancel that is ignored (W10, W13). */
  async #judge(): Promise<void> {
    const { clock } = this.#deps;
    const { run, turn } = await this.rows.read();
    if (run === undefined || this.#hold === undefined) return;
    const now = clock.wallMs();
    if (run.state === 'open' && run.phase !== 'ready') {
      const dueMs = run.startedAtMs + handshakeMs - now;
      if (run.phase === 'failed' || (dueMs <= 0 && (await this.#hasReadAll())))
        await this.#give(run.runId);
      else this.#arm(dueMs);
      return;
    }
    if (turn?.cancelAskedAtMs !== undefined) {
      const dueMs = turn.cancelAskedAtMs + cancelGraceMs - now;
      if (dueMs > 0) this.#arm(dueMs);
      else if (await this.#hasReadAll()) await this.#giveUp(turn.id);
      return;
    }
    if (turn?.deadlineAtMs === undefined) return;
    const dueMs = turn.deadlineAtMs - now;
    if (dueMs > 0) this.#arm(dueMs);
    else if (await this.#hasReadAll()) await this.#overdue(turn.id);
  }

  /* Only what was journalled counts: if there is more to read, it is read first. */
  async #hasReadAll(): Promise<boolean> {
    const { run } = await this.rows.read();
    if (run === undefined || this.#hold === undefined) return false;
    const { signal } = this.#stop;
    for await (const event of this.#hold.run.outputSoFar(run.cursor, signal)) {
      if (event.kind !== 'output') continue;
      this.#arm(100);
      return false;
    }
    return true;
  }

  async #give(runId: RunId): Promise<void> {
    const { clock } = this.#deps;
    await this.rows.change((now) => {
      const change = beginClosing(now, runId, clock.wallMs());
      return change && { change };
    });
    this.#isKicked = true;
  }

  async #giveUp(turnId: string): Promise<void> {
    const { clock } = this.#deps;
    await this.rows.change((now) => {
      const change = giveUpTurn(now, turnId, clock.wallMs());
      return change && { change };
    });
    this.#deps.onFree();
    this.#isKicked = true;
  }

  async #overdue(turnId: string): Promise<void> {
    const { clock } = this.#deps;
    await this.rows.change((now) => {
      const cancel = { turnId, cause: 'deadline', actor: 'deadline' } as const;
      const change = cancelTurn(now, cancel, clock.wallMs());
      return change && { change };
    });
    this.#isKicked = true;
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.timer(Math.max(1, ms), () => this.kick());
    this.#timer.unref();
  }
}
