/*
 * What threads need from outside. The gateway joins them.
 */
import type { AgentSetup, ThreadRow, TurnRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { ManagedRun, RunId } from '@clawdfather/supervisor';

/* How the agent of a thread is started, decided before anything is written down. */
export interface AgentPlan {
  readonly setup: AgentSetup;
  /* Of the program and its arguments: a lease says what it was for. */
  readonly commandHash: string;
  /* The session that the process belongs to, and ends with. */
  readonly sessionId: string | undefined;
  /* Idempotent by the run's id (S1). */
  start(
    run: { readonly runId: RunId; readonly leaseId: string },
    /* That it is started for. */
    turn: TurnRow | undefined,
  ): Promise<ManagedRun>;
}

export interface AgentStarter {
  /* Throws a coded error whose message is for people: no such agent, not installed, not allowed here. */
  plan(accountId: AccountId, thread: ThreadRow): Promise<AgentPlan>;
}

/* Places at which a crash is tried, for tests. */
export type CrashPoint =
  | 'before-commit'
  | 'after-commit'
  | 'before-spawn'
  | 'after-spawn'
  | 'before-deliver'
  | 'after-deliver'
  | 'before-acknowledge'
  | 'after-acknowledge';
