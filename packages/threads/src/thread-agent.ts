/*
 * The agent's process of one thread in this gateway: begun, taken over from an earlier owner, followed to its end, and ended.
 *
 * Stages: the lease is written (`begin`) → the process is started or attached (`takeOver`) → the lease is completed with the process, and
 * what it says is read (`holdAgent`) → it has ended, all that it said is stored, and the lease is closed (`#ended`).
 * Every stage is found again in the rows, so a crash between any two of them is continued by the next owner.
 */
import {
  type AgentRunRow,
  type AgentSetup,
  beginRun,
  holdRun,
  type NewAgentRun,
  onceOf,
  type RunEnd,
  silenceMsMax,
  type ThreadRecords,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import { type AccountId, type Clock, hasCode, type Log, type Random } from '@clawdfather/kit';
import {
  type ManagedRun,
  type RunId,
  type RunRecord,
  unclaimedStage,
} from '@clawdfather/supervisor';
import { type AgentHold, type HoldEnd, holdAgent } from './agent-hold.ts';
import { endLease, endWithoutRecord, failTurn } from './end-lease.ts';
import { timeOf, type Wait } from './due-by-clock.ts';
import { createEndAgent, refusedRetryMs } from './end-agent.ts';
import { ThreadsError } from './errors.ts';
import { formatRunEnd } from './format-run-end.ts';
import type { AgentPlan, AgentStarter, AgentSupervisor, CrashPoint } from './ports.ts';
import { createThreadEffects, type ThreadEffects } from './thread-effects.ts';
import { isOver } from './is-over.ts';
import { causeOf, createReachHost, isHostAway, type ReachHost } from './reach-host.ts';
import type { KeptRows } from './thread-rows.ts';

export interface ThreadAgentDeps {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly rows: KeptRows;
  readonly records: ThreadRecords;
  readonly supervisor: AgentSupervisor;
  readonly lookAfter: (record: RunRecord) => void;
  readonly starter: AgentStarter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
  /* A turn has ended, or its agent has: the queue may go on. */
  readonly onFree: () => void;
  /* Its process runs; or there will be none, and why. */
  readonly onStart: (outcome: AgentRunRow | Error) => void;
  /* The rows call for another look, now or after so long. */
  readonly lookAgain: (afterMs?: number) => void;
  /* What is left of a wait, by the steady clock. */
  readonly restMs: (wait: Wait) => number;
  /* How long a host may be silent; absent: `silenceMsMax`. */
  readonly silenceMs?: number | undefined;
  /* Aborts when this gateway lets go. */
  readonly signal: AbortSignal;
}

/* After a failure that may pass, such as a database that is away for a moment. */
export const retryMs = 1_000;

export class ThreadAgent {
  readonly #deps: ThreadAgentDeps;
  readonly #endTree: ReturnType<typeof createEndAgent>;
  readonly #reach: ReachHost;
  #plan: AgentPlan | undefined;
  #hold: AgentHold | undefined;
  #effects: ThreadEffects | undefined;

  constructor(deps: ThreadAgentDeps) {
    this.#deps = deps;
    this.#endTree = createEndAgent(deps);
    this.#reach = createReachHost({ ...deps, silenceMs: deps.silenceMs ?? silenceMsMax });
  }

  get hold(): AgentHold | undefined {
    return this.#hold;
  }

  /* The lease first, then the process: a crash in between leaves a lease that the next owner finds. */
  async begin({ thread, turn }: ThreadRows): Promise<void> {
    const { random, supervisor, clock, accountId, records, starter, rows, onStart } = this.#deps;
    this.#plan = undefined;
    const restMs = this.#reach.restOf(turn);
    if (restMs > 0) {
      this.#deps.lookAgain(restMs);
      return;
    }
    let place: Pick<NewAgentRun, 'sessionId' | 'cwd'>;
    try {
      this.#plan = await starter.plan(accountId, thread);
      place = (await this.#plan.enter?.()) ?? { sessionId: this.#plan.sessionId };
    } catch (error) {
      await this.#notBegun(turn, asError(error));
      return;
    }
    const { commandHash, program, setup } = this.#plan;
    const { once } = setup;
    if (once !== undefined && turn === undefined) {
      const message = 'it is run once per turn, and starts with a prompt';
      onStart(new ThreadsError('agent-not-started', message));
      return;
    }
    const lease = {
      runId: random.id() as RunId,
      // As long as the supervisor's own, because it takes its place.
      leaseId: `${random.id()}${random.id()}`,
      instanceId: supervisor.instanceId,
      seenBy: supervisor.generation,
      commandHash,
      programRoot: program.root,
      programPath: program.path,
    };
    // What it offers can be asked for before it has said so in this session, and it may never say so again.
    const known =
      once === undefined
        ? (await records.offered(thread.agent, thread.connectionId))?.choices
        : undefined;
    const begun = await rows.change((now) => {
      // Reaching another machine takes its time: the turn may have been cancelled meanwhile.
      const isGone = turn !== undefined && now.turn === undefined;
      const begun = { ...lease, ...place, once, known };
      const change = isGone ? undefined : beginRun(now, begun, clock.wallMs());
      return change && { change };
    });
    if (begun === undefined && rows.known?.thread.status === 'archived') {
      this.#deps.onStart(new ThreadsError('thread-archived', `thread ${thread.id} is archived`));
    }
    // Nothing was begun for a turn that this agent must not be prompted with.
    if (begun !== undefined && begun.run === undefined) this.#deps.onFree();
    this.#deps.lookAgain();
  }

  /* A host that does not answer is tried again for a turn; whoever wants an agent without one is told at once. */
  async #notBegun(turn: TurnRow | undefined, failure: Error): Promise<void> {
    const { onStart, onFree, lookAgain } = this.#deps;
    onStart(failure);
    if (turn !== undefined && isHostAway(failure)) {
      if (await this.#reach.tryLater(turn, failure)) {
        lookAgain();
        return;
      }
    } else await failTurn(this.#deps, failure);
    onFree();
  }

  /* Of a run that was begun: by us a moment ago, or by an earlier owner. Undefined: there is nothing to hold. */
  async takeOver(rows: ThreadRows, run: AgentRunRow): Promise<AgentHold | undefined> {
    this.#hold ??= await this.#takeOver(rows, run);
    return this.#hold;
  }

  /* Sees to what it asks of its host. */
  act(rows: ThreadRows): void {
    this.#effects?.look(rows);
  }

  /* Ends its whole tree, if it is ours; how it ended is found out by the one who reads it. */
  async end(): Promise<void> {
    if (this.#hold === undefined) return;
    const outcome = await this.#endTree(this.#hold.run);
    if (outcome === 'refused') this.#deps.lookAgain(refusedRetryMs);
  }

  /* Only what was journalled counts: if there is more to read, it is read first. */
  async hasReadAll(): Promise<boolean> {
    const { rows, signal, lookAgain } = this.#deps;
    const { run } = await rows.read();
    if (run === undefined || this.#hold === undefined) return false;
    for await (const event of this.#hold.run.outputSoFar(run.cursor, signal)) {
      if (event.kind !== 'output') continue;
      lookAgain(100);
      return false;
    }
    return true;
  }

  async #takeOver(rows: ThreadRows, run: AgentRunRow): Promise<AgentHold | undefined> {
    const { supervisor, onPoint } = this.#deps;
    const record = supervisor.get(run.runId);
    if (record === undefined && (run.process !== undefined || run.state === 'closing')) {
      await this.#ended(run.runId, endWithoutRecord(this.#deps, run));
      return undefined;
    }
    if (record?.exit?.failure?.stage === unclaimedStage) {
      // A gateway was lost in the moment of its start. There is no journal to read, and the turn needs another one.
      const { reason, endedAtMs } = record.exit;
      const message = formatRunEnd(record.exit);
      await this.#ended(run.runId, { reason, message, endedAtMs, state: 'closed', isVoid: true });
      return undefined;
    }
    if (record !== undefined && this.#isAnothers(record)) return undefined;
    onPoint?.('before-spawn');
    // One that cannot be reached for a moment is not over: the next look tries again.
    const managed =
      record === undefined ? await this.#start(rows, run) : await supervisor.attach(run.runId);
    onPoint?.('after-spawn');
    // Whoever was frozen before its start may find it started.
    if (managed === undefined || this.#isAnothers(managed.snapshot())) return undefined;
    const isAlive = record === undefined || managed.snapshot().exit === undefined;
    const seenBy = isAlive ? supervisor.generation : undefined;
    return this.#holdOn(managed, { setup: await this.#setupOf(rows, run), seenBy });
  }

  /* Undefined: it did not start, and its lease is closed; or another owner starts it. */
  async #start(rows: ThreadRows, run: AgentRunRow): Promise<ManagedRun | undefined> {
    const { signal, onStart, lookAgain } = this.#deps;
    try {
      return await (await this.#planOf(rows)).start(run, rows.turn);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isOver(error) || hasCode(error, 'lease-lost')) {
        // Another owner starts it: we were frozen, or came at the same moment. That it failed here says nothing about the agent.
        await this.#deps.rows.forget();
        lookAgain(retryMs);
        return undefined;
      }
      const failure = asError(error);
      const { message } = failure;
      // Lost between the look at it and the start: the turn goes back, and the host is tried again.
      const hostCause = isHostAway(failure) ? causeOf(failure) : undefined;
      await this.#ended(run.runId, { ...this.#now(), reason: 'spawn-error', hostCause, message });
      onStart(failure);
      return undefined;
    }
  }

  #now() {
    return { endedAtMs: this.#deps.clock.wallMs(), state: 'closed' } as const;
  }

  /* What an agent that runs is told further. It goes on also where it could not be started any more, such as after it was removed. */
  async #setupOf(rows: ThreadRows, { state }: AgentRunRow): Promise<AgentSetup> {
    const none = { clientVersion: '0', mcpServers: [] };
    if (state === 'closing') return none;
    try {
      return (await this.#planOf(rows)).setup;
    } catch (error) {
      const { log, threadId } = this.#deps;
      log.warn('thread.agent-unplanned', { threadId, error });
      return none;
    }
  }

  /*
   * Another process of this machine owns it, or has taken it from us while we were frozen: the epoch is that owner's, and to read on under
   * it would be to act as the owner (O3). If that one is lost, or could not be proven lost at our start, the run is taken over, so it is
   * looked at again.
   */
  #isAnothers(record: RunRecord): boolean {
    const { supervisor, lookAfter, lookAgain } = this.#deps;
    if (record.ownerGeneration === supervisor.generation || record.exit !== undefined) return false;
    lookAfter(record);
    lookAgain(retryMs);
    return true;
  }

  async #planOf({ thread }: ThreadRows): Promise<AgentPlan> {
    const { starter, accountId } = this.#deps;
    this.#plan ??= await starter.plan(accountId, thread);
    return this.#plan;
  }

  async #holdOn(
    managed: ManagedRun,
    { setup, seenBy }: { readonly setup: AgentSetup; readonly seenBy: number | undefined },
  ): Promise<AgentHold | undefined> {
    const { clock, records, log, onPoint, rows, restMs, signal } = this.#deps;
    const { runId } = managed;
    const { epoch, pid, processGroupId, startTicks, bootId } = managed.snapshot();
    const process =
      pid === undefined || startTicks === undefined
        ? undefined
        : { rootPid: pid, processGroupId: processGroupId ?? pid, startTicks, bootId };
    const held = await rows.change((now) => {
      const held = { runId, epoch, process, seenBy };
      const change = holdRun(now, held, { setup, atMs: clock.wallMs() });
      return change && { change };
    });
    if (held?.run === undefined) return undefined;
    const onConsumed = (hadTurn: boolean) => this.#consumed(hadTurn);
    const tools = setup.servesHost === true ? this.#plan?.tools?.() : undefined;
    this.#effects =
      tools && createThreadEffects({ ...this.#deps, rows, tools, runId, epoch, onPoint });
    const once = onceOf(held.run);
    const isInTime = (turn: TurnRow): boolean => {
      const wait = timeOf(turn);
      return wait !== undefined && restMs(wait) > 0;
    };
    const own = { run: managed, setup, once, epoch, onConsumed, isInTime };
    const hold = holdAgent({ rows, records, clock, log, onPoint, ...own }, held.run, signal);
    void this.#follow(hold);
    return hold;
  }

  async #follow(hold: AgentHold): Promise<void> {
    const { signal, log, threadId, rows, lookAgain } = this.#deps;
    try {
      await this.#afterHold(hold, await this.#endOf(hold));
    } catch (error) {
      if (signal.aborted) return;
      log.warn('thread.agent-lost-sight', { threadId, error });
      await rows.forget();
      this.#hold = undefined;
      lookAgain(retryMs);
    }
  }

  /* The journal of one that has ended may be gone with its directory: then its record is all that there will ever be. */
  async #endOf({ done, run }: AgentHold): Promise<HoldEnd> {
    try {
      return await done;
    } catch (error) {
      const exit = this.#deps.supervisor.get(run.runId)?.exit;
      if (exit === undefined || !hasCode(error, 'journal-missing')) throw error;
      return { kind: 'ended', exit, lastWords: undefined };
    }
  }

  async #afterHold({ run }: AgentHold, end: HoldEnd): Promise<void> {
    const { rows, onFree, lookAgain } = this.#deps;
    switch (end.kind) {
      case 'superseded':
        // Another owner has it, and looks after it; here nothing more is done for this thread.
        await rows.forget();
        this.#hold = undefined;
        return;
      case 'overtaken':
        // Whoever it was may be gone in a moment, and then nobody would read on.
        await rows.forget();
        this.#hold = undefined;
        lookAgain(retryMs);
        return;
      case 'overlong':
        await this.#endOverlong(run);
        break;
      case 'ended': {
        const exit = (await this.#plan?.explainEnd?.(end.exit)) ?? end.exit;
        const { reason, code, hostCause, endedAtMs } = exit;
        const message = formatRunEnd(exit);
        // What carried it to its host has ended; whether it has, too, was not seen.
        const state = hostCause !== undefined && reason === 'exit' ? 'lost' : 'closed';
        const { lastWords } = end;
        const ended = { reason, code, hostCause, message, lastWords, endedAtMs };
        await this.#ended(run.runId, { ...ended, state });
      }
    }
    this.#hold = undefined;
    onFree();
    lookAgain();
  }

  /* Nothing more of it is read, so its end is waited for here. */
  async #endOverlong(run: ManagedRun): Promise<void> {
    const { clock, signal } = this.#deps;
    while ((await this.#endTree(run)) === 'refused') await clock.sleep(refusedRetryMs, signal);
    await run.wait(signal);
    const message = 'a message of the agent was longer than any may be, so it was ended';
    await this.#ended(run.runId, { ...this.#now(), reason: 'manual-cancel', message });
  }

  async #ended(runId: RunId, end: Omit<RunEnd, 'runId'>): Promise<void> {
    const { onFree, lookAgain, log, threadId } = this.#deps;
    await this.#plan
      ?.tools?.()
      .endTerminals(runId)
      .catch((error: unknown) => {
        // They end with its session at the latest.
        log.warn('thread.terminals-not-ended', { threadId, error });
      });
    this.#effects = undefined;
    const { generation: foundBy } = this.#deps.supervisor;
    await endLease(this.#deps, runId, { ...end, foundBy });
    this.#plan = undefined;
    onFree();
    lookAgain();
  }

  #consumed(hadTurn: boolean): void {
    const { rows, onFree, lookAgain } = this.#deps;
    lookAgain();
    if (hadTurn && rows.known?.turn === undefined) onFree();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
