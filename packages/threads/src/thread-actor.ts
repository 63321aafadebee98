/*
 * One thread in this process: sees to it that what its rows call for happens. It keeps nothing that is not in the rows or in the
 * supervisor, so it can be lost at any moment and made anew.
 *
 * `kick` says "look again". A look: start an agent for a turn that has none; take an agent over that an earlier owner has started; deliver
 * what was committed; end an agent that has to end; do what the clock calls for. Looks follow one another; kicks that come
 * meanwhile are one more look.
 */
import {
  type AgentRunRow,
  beginClosing,
  cancelTurn,
  type Close,
  closeGraceMs,
  forgetNative,
  giveUpSetting,
  giveUpTurn,
  type ThreadRecords,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import {
  type AccountId,
  type Clock,
  type Log,
  type Random,
  type Timer,
  within,
} from '@clawdfather/kit';
import type { RunId, RunRecord } from '@clawdfather/supervisor';
import type { AgentHold } from './agent-hold.ts';
import { type DueByClock, dueByClock, type Wait } from './due-by-clock.ts';
import { ThreadsError } from './errors.ts';
import type { EventDesk } from './event-desk.ts';
import type { ThreadsObserver } from './observer.ts';
import type { AgentStarter, AgentSupervisor, CrashPoint } from './ports.ts';
import { createSteadyRest } from './steady-rest.ts';
import { retryMs, ThreadAgent } from './thread-agent.ts';
import { KeptRows } from './thread-rows.ts';
import { Waiters } from './waiters.ts';

export interface ThreadActorDeps {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly records: ThreadRecords;
  readonly desk: EventDesk;
  readonly observer: ThreadsObserver;
  readonly supervisor: AgentSupervisor;
  readonly lookAfter: (record: RunRecord) => void;
  readonly starter: AgentStarter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
  /* How long a host may be silent; absent: `silenceMsMax`. */
  readonly silenceMs?: number | undefined;
  /* A turn has ended, or its agent has: the queue may go on. */
  readonly onFree: () => void;
}

/* A person who talks through another gateway waits so long at most. One small query for each agent that lives. */
const hearOthersMs = 2_000;

/* Another gateway that has admitted it starts its agent, too (lost-gateways.ts). */
function isAdmittedHere(turn: TurnRow, instanceId: string): boolean {
  return turn.instanceId === undefined || turn.instanceId === instanceId;
}

/* Whoever has the agent has its turn, also one that was admitted by the gateway before it. */
function hasTurnHere({ run, turn }: ThreadRows, instanceId: string): boolean {
  if (turn === undefined) return false;
  return run === undefined ? isAdmittedHere(turn, instanceId) : run.instanceId === instanceId;
}

export class ThreadActor {
  readonly rows: KeptRows;
  readonly #deps: ThreadActorDeps;
  readonly #agent: ThreadAgent;
  readonly #stop = new AbortController();
  /* Of those who want an agent without a turn, and of those who wait until one was told to end. */
  readonly #starts = new Waiters<AgentRunRow>();
  readonly #ends = new Waiters<void>();
  readonly #restMs: (wait: Wait) => number;
  #looking: Promise<void> | undefined;
  #isKicked = false;
  #timer: Timer | undefined;
  #timerAtMs = 0;
  #heardAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ThreadActorDeps) {
    this.#deps = deps;
    this.rows = new KeptRows(deps);
    this.#restMs = createSteadyRest(deps.clock);
    const { signal } = this.#stop;
    const lookAgain = (afterMs?: number): void =>
      afterMs === undefined ? this.kick() : this.#arm(afterMs);
    const onStart = (outcome: AgentRunRow | Error): void => this.#starts.settle(outcome);
    const restMs = this.#restMs;
    this.#agent = new ThreadAgent({ ...deps, rows: this.rows, lookAgain, onStart, restMs, signal });
  }

  /*
   * It has no agent, no turn, and nothing under way. What another gateway has is not looked after here, so what is known of it gets old and
   * says nothing; and what waits is found in the database (queue/admission.ts).
   */
  get isIdle(): boolean {
    const { known } = this.rows;
    const isBusy = this.#agent.hold !== undefined || this.#looking !== undefined;
    if (isBusy || known === undefined || this.#starts.hasAny) return false;
    return known.run?.instanceId !== this.#deps.supervisor.instanceId && !this.hasTurn;
  }

  /* One that this process looks after, by what it knows. */
  get hasTurn(): boolean {
    const { known } = this.rows;
    return known !== undefined && hasTurnHere(known, this.#deps.supervisor.instanceId);
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

  /* The agent that it has, or a new one, from the moment that its process runs. Throws why there is none. */
  async ensureAgent(): Promise<AgentRunRow> {
    const { thread } = await this.rows.read();
    if (thread.status === 'archived') {
      throw new ThreadsError('thread-archived', `thread ${thread.id} is archived`);
    }
    const started = this.#starts.next();
    this.kick();
    return started;
  }

  /*
   * From its commit on it is finished by whoever owns the thread. Resolves when the tree was told to end, or is not to be touched;
   * with `waits: false`, after the commit.
   */
  async closeAgent(close: Close, { waits = true } = {}): Promise<void> {
    const { clock, supervisor } = this.#deps;
    const done = waits ? this.#ends.next() : undefined;
    await this.rows.change((now) => {
      const atMs = clock.wallMs();
      const { run } = now;
      if (run !== undefined) {
        const change = beginClosing(now, { runId: run.runId, ...close }, atMs);
        return change && { change };
      }
      const change = close.discards ? forgetNative(now, atMs) : undefined;
      return change && { change };
    });
    this.kick();
    const isOurs = this.rows.known?.run?.instanceId === supervisor.instanceId;
    if (done === undefined || !isOurs) return;
    await within(done, { clock, ms: 2 * closeGraceMs, late: () => undefined });
  }

  /* Lets go of everything and ends nothing. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#timer?.cancel();
    this.#starts.settle(new ThreadsError('agent-not-started', 'this gateway is stopping'));
    this.#ends.settle();
    await this.#looking;
    await this.#agent.hold?.done.catch(() => undefined);
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
        this.#arm(retryMs);
      }
    }
  }

  async #step(): Promise<void> {
    const rows = await this.rows.read();
    const { run } = rows;
    if (run === undefined) {
      this.#ends.settle();
      const hasTurn = hasTurnHere(rows, this.#deps.supervisor.instanceId);
      if (hasTurn || this.#starts.hasAny) await this.#agent.begin(rows);
      return;
    }
    if (run.instanceId !== this.#deps.supervisor.instanceId) {
      const message = 'its agent runs at another gateway';
      this.#starts.settle(new ThreadsError('agent-elsewhere', message));
      return;
    }
    const hold = await this.#agent.takeOver(rows, run);
    if (hold === undefined) return;
    await this.#hearOthers();
    this.#deliver(hold);
    if (run.state === 'open') this.#agent.act(await this.rows.read());
    await this.#judge();
    const held = this.rows.known?.run;
    if (held?.state === 'open') this.#starts.settle(held);
  }

  /*
   * Prompts, cancels and answers that another gateway has taken in for the agent that is held here: nobody tells this process, so it looks
   * now and then.
   */
  async #hearOthers(): Promise<void> {
    const { clock, onFree } = this.#deps;
    const restMs = this.#heardAtMs + hearOthersMs - clock.monotonicMs();
    if (restMs > 0) {
      this.#arm(restMs);
      return;
    }
    this.#heardAtMs = clock.monotonicMs();
    this.#arm(hearOthersMs);
    const { turn, queue } = await this.rows.refresh();
    if (turn === undefined && queue.length > 0) onFree();
  }

  /* Nothing waits for it: an agent that does not read its input has to be cancelled and ended all the same. */
  #deliver(hold: AgentHold): void {
    hold.deliver().catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      const { threadId, log } = this.#deps;
      log.warn('thread.deliver-failed', { threadId, error });
      this.#arm(retryMs);
    });
  }

  async #judge(): Promise<void> {
    const due = dueByClock(await this.rows.read(), this.#restMs);
    if (due.kind === 'nothing' || this.#agent.hold === undefined) return;
    if (due.kind === 'wait') {
      this.#arm(due.ms);
      return;
    }
    if (due.kind === 'end') {
      await this.#agent.end();
      this.#ends.settle();
      return;
    }
    const isCertain = due.kind === 'close' && due.isCertain;
    if (isCertain || (await this.#agent.hasReadAll())) await this.#carryOut(due);
  }

  async #carryOut(due: Exclude<DueByClock, { kind: 'nothing' | 'wait' | 'end' }>): Promise<void> {
    switch (due.kind) {
      case 'close':
        await this.#closeRun(due.runId);
        break;
      case 'not-set':
        await this.#giveUpSetting(due.callId);
        break;
      case 'give-up':
        await this.#giveUp(due.turnId);
        break;
      case 'overdue':
        await this.#cancelOverdue(due.turnId);
    }
    this.#isKicked = true;
  }

  async #closeRun(runId: RunId): Promise<void> {
    const { clock } = this.#deps;
    await this.rows.change((now) => {
      const close = { reason: 'no-handshake', actor: 'gateway', discards: false };
      const change = beginClosing(now, { runId, cancelsTurn: false, ...close }, clock.wallMs());
      return change && { change };
    });
  }

  async #giveUpSetting(callId: number): Promise<void> {
    const { clock, onFree } = this.#deps;
    await this.rows.change((now) => {
      const change = giveUpSetting(now, callId, clock.wallMs());
      return change && { change };
    });
    onFree();
  }

  async #giveUp(turnId: string): Promise<void> {
    const { clock, onFree } = this.#deps;
    await this.rows.change((now) => {
      const change = giveUpTurn(now, turnId, clock.wallMs());
      return change && { change };
    });
    onFree();
  }

  async #cancelOverdue(turnId: string): Promise<void> {
    const { clock } = this.#deps;
    await this.rows.change((now) => {
      const cancel = { turnId, cause: 'deadline', actor: 'deadline' } as const;
      const change = cancelTurn(now, cancel, clock.wallMs());
      return change && { change };
    });
  }

  /* The soonest counts: that look finds out what is due later. */
  #arm(ms: number): void {
    const { clock } = this.#deps;
    const atMs = clock.monotonicMs() + Math.max(1, ms);
    if (this.#timer !== undefined && this.#timerAtMs <= atMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = atMs;
    this.#timer = clock.timer(Math.max(1, ms), () => {
      this.#timer = undefined;
      this.kick();
    });
    this.#timer.unref();
  }
}
