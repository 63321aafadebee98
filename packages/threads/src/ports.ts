/*
 * What threads need from outside. The gateway joins them.
 */
import type { AgentRunRow, AgentSetup, JsonObject, ThreadRow, TurnRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { ManagedRun, RunExit, RunId, Supervisor } from '@clawdfather/supervisor';

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
   * written: one who takes an agent over reaches for nothing. Throws as `plan` does, and `host-away` for what may pass.
   */
  enter?(): Promise<{ readonly sessionId: string; readonly cwd: string }>;
  /* Of another machine: the end with why it was lost, if it was, and that was not on record yet. */
  explainEnd?(exit: RunExit): Promise<RunExit>;
  /* Of an agent on a host, once that was entered: what it may ask us to do there. Goes with `servesHost` of its setup. */
  tools?(): HostTools;
  /*
   * Idempotent by the run's id (S1). The lease id goes into the environment of the process (AP3). `turn`: the one that it is started for,
   * if there is one.
   */
  start(run: StartedRun, turn: TurnRow | undefined): Promise<ManagedRun>;
}

export type StartedRun = Pick<AgentRunRow, 'runId' | 'leaseId' | 'commandHash'>;

/*
 * Files and terminals of the host that an agent runs on. What the host refuses is thrown as a coded error whose message the agent is told;
 * `host-unreachable`: it gave no answer, and is asked again.
 */
export interface HostTools {
  /* About what changes something there, as the policy of the host is now. */
  judge(): Promise<'allow' | 'ask' | 'deny'>;
  read(path: string): Promise<string>;
  /* SHA-256; undefined: there is no such file. */
  hashOf(path: string): Promise<string | undefined>;
  /* Whole or not at all. `changed`: it is not what it was any more, and was not touched. */
  write(file: HostWrite): Promise<'written' | 'changed'>;
  /* Idempotent by the run's id (S1). */
  createTerminal(terminal: NewTerminal): Promise<void>;
  terminalOutput(terminal: TerminalName): Promise<JsonObject>;
  waitForTerminal(terminal: TerminalName, signal: AbortSignal): Promise<JsonObject>;
  endTerminal(terminal: TerminalName): Promise<void>;
  /* All that this agent has started. */
  endTerminals(agentRunId: RunId): Promise<void>;
}

export interface HostWrite {
  readonly path: string;
  readonly text: string;
  readonly oldHash: string | undefined;
  readonly newHash: string;
  /* Of this write alone. */
  readonly name: string;
}

export interface NewTerminal {
  readonly runId: RunId;
  readonly agentRunId: RunId;
  /* As the agent sent it; it was looked at. */
  readonly params: JsonObject;
}

/* One that this agent has made. */
export interface TerminalName {
  readonly terminalId: string;
  readonly agentRunId: RunId;
}

export interface AgentStarter {
  /* Throws a coded error whose message is for people: no such agent, not installed, not allowed here. */
  plan(accountId: AccountId, thread: ThreadRow): Promise<AgentPlan>;
}

export type AgentSupervisor = Pick<
  Supervisor,
  'get' | 'attach' | 'examine' | 'instanceId' | 'generation'
>;

/* The sessions that agents belong to. */
export interface AgentSessions {
  /* Undefined: it goes on. `lost`: nobody has ended it. One that is not there any more was closed. */
  endOf(accountId: AccountId, sessionId: string): Promise<'closed' | 'lost' | undefined>;
}

/* Places at which a crash is tried, for tests. */
export type CrashPoint =
  | 'before-commit'
  | 'after-commit'
  | 'before-spawn'
  | 'after-spawn'
  | 'before-effect'
  | 'after-effect'
  | 'before-deliver'
  | 'after-deliver'
  | 'before-acknowledge'
  | 'after-acknowledge'
  | 'before-end'
  | 'after-end';
