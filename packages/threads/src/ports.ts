/*
 * What threads need from outside. The gateway joins them.
 */
import type { AgentRunRow, AgentSetup, ThreadRow, TurnRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { ManagedRun, RunExit, Supervisor } from '@clawdfather/supervisor';

/* How the agent of a thread is started, decided before anything is written down. */
export interface AgentPlan {
  readonly setup: AgentSetup;
  /* Of the program and its arguments: a lease says what it was for. */
  readonly commandHash: string;
  /* The file that is started, and the directory that it has to stay in (AP4). */
  readonly program: { readonly root: string; readonly path: string };
  /* The session that the process belongs to, and ends with. */
  readonly sessionId: string | undefined;
  /*
   * Of another machine: reaches it, and says which session the process then belongs to, and where it works there. Only before a lease is
   * written: one who takes an agent over reaches for nothing. Throws as `plan` does.
   */
  enter?(): Promise<{ readonly sessionId: string; readonly cwd: string }>;
  /* Of another machine: the end with why it was lost, if it was, and that was not on record yet. */
  explainEnd?(exit: RunExit): Promise<RunExit>;
  /* Idempotent by the run's id (S1). The lease id goes into the environment of the process (AP3). The turn: that it is started for. */
  start(run: StartedRun, turn: TurnRow | undefined): Promise<ManagedRun>;
}

export type StartedRun = Pick<AgentRunRow, 'runId' | 'leaseId' | 'commandHash'>;

export interface AgentStarter {
  /* Throws a coded error whose message is for people: no such agent, not installed, not allowed here. */
  plan(accountId: AccountId, thread: ThreadRow): Promise<AgentPlan>;
}

export type AgentSupervisor = Pick<Supervisor, 'get' | 'attach' | 'examine' | 'instanceId'>;

/* The sessions that agents belong to. */
export interface AgentSessions {
  /* It has ended, or is not there any more. */
  isOver(accountId: AccountId, sessionId: string): Promise<boolean>;
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
  | 'after-acknowledge'
  | 'before-end'
  | 'after-end';
