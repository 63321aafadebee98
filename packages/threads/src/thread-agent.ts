/*
 * The agent's process of one thread in this gateway: begun, taken over from an earlier owner, followed to its end, and ended.
 *
 * Stages: the lease is written (`begin`) → the process is started or attached (`takeOver`) → the lease is completed with the process, and
 * what it says is read (`holdAgent`) → it has ended, all that it said is stored, and the lease is closed (`#ended`).
 * Every stage is found again in the rows, so a crash between any two of them is continued by the next owner.
 */
import {
  type AgentRunRow,
  beginRun,
  endRun,
  failStart,
  holdRun,
  type RunEnd,
  type ThreadRecords,
  type ThreadRows,
} from '@clawdfather/agents';
import type { AccountId, Clock, Log, Random } from '@clawdfather/kit';
import type { ManagedRun, RunId, Supervisor } from '@clawdfather/supervisor';
import { type AgentHold, type HoldEnd, holdAgent } from './agent-hold.ts';
import { formatRunEnd } from './format-run-end.ts';
import type { AgentPlan, AgentStarter, CrashPoint } from './ports.ts';
import type { KeptRows } from './thread-rows.ts';

export interface ThreadAgentDeps {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly rows: KeptRows;
  readonly records: ThreadRecords;
  readonly supervisor: Pick<Supervisor, 'get' | 'attach' | 'instanceId'>;
  readonly starter: AgentStarter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
  /* A turn has ended, or its agent has: the queue may go on. */
  readonly onFree: () => void;
  /* The rows call for another look, now or after so long. */
  readonly lookAgain: (afterMs?: number) => void;
  /* Aborts when this gateway lets go. */
  readonly signal: AbortSignal;
}

/* After a failure that may pass, such as a database that is away for a moment. */
export const retryMs = 1_000;

export class ThreadAgent {
  readonly #deps: ThreadAgentDeps;
  #plan: AgentPlan | undefined;
  #hold: AgentHold | undefined;

  constructor(deps: ThreadAgentDeps) {
    this.#deps = deps;
  }

  get hold(): AgentHold | undefined {
    return this.#hold;
  }

  /* The lease first, then the process: a crash in between leaves a lease that the next owner finds. */
  async begin({ thread }: ThreadRows): Promise<void> {
    const { random, supervisor, clock, accountId, starter, rows } = this.#deps;
    this.#plan = undefined;
    try {
      this.#plan = await starter.plan(accountId, thread);
    } catch (error) {
      await this.#failTurn(error);
      return;
    }
    const { commandHash, sessionId } = this.#plan;
    const runId = random.id() as RunId;
    const lease = { runId, leaseId: random.id(), instanceId: supervisor.instanceId, commandHash };
    await rows.change((now) => {
      const change = beginRun(now, { ...lease, sessionId }, clock.wallMs());
      return change && { change };
    });
    this.#deps.lookAgain();
  }

  /* Of a run that was begun: by us a moment ago, or by an earlier owner. Undefined: there is nothing to hold. */
  async takeOver(rows: ThreadRows, run: AgentRunRow): Promise<AgentHold | undefined> {
    this.#hold ??= await this.#takeOver(rows, run);
    return this.#hold;
  }

  /* Ends its whole tree; how it ended is found out by the one who reads it. */
  async end(): Promise<void> {
    await this.#hold?.run.cancel('manual-cancel', this.#deps.supervisor.instanceId);
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
    const { supervisor, onPoint, clock, signal } = this.#deps;
    const record = supervisor.get(run.runId);
    if (record === undefined && run.process !== undefined) {
      // It was there, and no trace of it is left: its record was removed.
      await this.#ended(run.runId, {
        reason: 'unknown',
        message: 'there is no record of how it ended',
        endedAtMs: clock.wallMs(),
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
      if (signal.aborted) throw error;
      await this.#ended(run.runId, {
        reason: 'spawn-error',
        message: error instanceof Error ? error.message : String(error),
        endedAtMs: clock.wallMs(),
        state: 'closed',
      });
      return undefined;
    }
    return this.#holdOn(managed, await this.#planOf(rows));
  }

  async #planOf({ thread }: ThreadRows): Promise<AgentPlan> {
    const { starter, accountId } = this.#deps;
    this.#plan ??= await starter.plan(accountId, thread);
    return this.#plan;
  }

  async #holdOn(managed: ManagedRun, { setup }: AgentPlan): Promise<AgentHold | undefined> {
    const { clock, records, log, onPoint, rows, signal } = this.#deps;
    const { runId } = managed;
    const { epoch, pid, processGroupId, startTicks, bootId } = managed.snapshot();
    const process =
      pid === undefined || startTicks === undefined
        ? undefined
        : { rootPid: pid, processGroupId: processGroupId ?? pid, startTicks, bootId };
    const held = await rows.change((now) => {
      const change = holdRun(now, { runId, epoch, process }, { setup, atMs: clock.wallMs() });
      return change && { change };
    });
    if (held?.run === undefined) return undefined;
    const onConsumed = (hadTurn: boolean) => this.#consumed(hadTurn);
    const deps = { rows, records, run: managed, setup, epoch, clock, log, onPoint, onConsumed };
    const hold = holdAgent(deps, held.run, signal);
    void this.#follow(hold);
    return hold;
  }

  async #follow(hold: AgentHold): Promise<void> {
    const { signal, log, threadId, rows, lookAgain } = this.#deps;
    try {
      await this.#afterHold(hold, await hold.done);
    } catch (error) {
      if (signal.aborted) return;
      log.warn('thread.agent-lost-sight', { threadId, error });
      await rows.forget();
      this.#hold = undefined;
      lookAgain(retryMs);
    }
  }

  async #afterHold({ run }: AgentHold, end: HoldEnd): Promise<void> {
    const { rows, onFree, lookAgain, clock } = this.#deps;
    switch (end.kind) {
      case 'superseded':
        // Another owner has it, and looks after it; here nothing more is done for this thread.
        await rows.forget();
        this.#hold = undefined;
        return;
      case 'overlong':
        await this.end();
        await this.#ended(run.runId, {
          reason: 'manual-cancel',
          message: 'a message of the agent was longer than any may be, so it was ended',
          endedAtMs: clock.wallMs(),
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
    onFree();
    lookAgain();
  }

  async #ended(runId: RunId, end: Omit<RunEnd, 'runId'>): Promise<void> {
    const { clock, rows, onFree, lookAgain } = this.#deps;
    await rows.change((now, text) => {
      const change = endRun(now, { runId, ...end }, { text, atMs: clock.wallMs() });
      return change && { change };
    });
    this.#plan = undefined;
    onFree();
    lookAgain();
  }

  async #failTurn(error: unknown): Promise<void> {
    const { clock, rows, onFree } = this.#deps;
    const message = error instanceof Error ? error.message : String(error);
    await rows.change((now) => {
      const change = failStart(now, message, clock.wallMs());
      return change && { change };
    });
    onFree();
  }

  #consumed(hadTurn: boolean): void {
    const { rows, onFree, lookAgain } = this.#deps;
    lookAgain();
    if (hadTurn && rows.known?.turn === undefined) onFree();
  }
}
