/*
 * Where commands run: this machine, or another one that an account has a connection to. A command on another machine is still a
 * supervised run of this one (a client of ssh), so every host ends in the supervisor's own input.
 *
 * Types alone. They are here and not with the tools, which use them, because those who implement them may import the supervisor
 * and not the tools.
 */
import type { RunAs, SpawnInput } from '../spawn-input.ts';
import type { ManagedRun } from '../types.ts';

/* A line for a shell, or a program and its arguments. */
export type HostProgram =
  | { readonly kind: 'line'; readonly shell: string; readonly line: string }
  | { readonly kind: 'argv'; readonly argv: readonly [string, ...string[]] };

/* A Unix user of this machine. */
export interface HostUser extends Required<RunAs> {
  readonly name: string;
  readonly home: string;
  readonly shell: string;
  /* Its own, readable by no other user. */
  readonly temporaryDirectory: string;
}

export interface HostCommand {
  readonly runId: string;
  readonly command: HostProgram;
  readonly cwd: string;
  readonly envAdditions: Readonly<Record<string, string>>;
  readonly terminal: { readonly cols: number; readonly rows: number } | undefined;
  /* What `userOf` answered for the account that asks. */
  readonly user: HostUser | undefined;
}

/* What the host decides of a run; deadlines, labels and policies are decided by whoever asks it. */
export type HostSpawn = Pick<SpawnInput, 'cwd' | 'env' | 'runAs'> &
  (
    | { readonly mode: 'child'; readonly argv: readonly [string, ...string[]] }
    | { readonly mode: 'pty'; readonly ptyCommand: string; readonly shell: string }
    | { readonly mode: 'pty-argv'; readonly argv: readonly [string, ...string[]] }
  );

export type FoundDirectory =
  | { readonly kind: 'found'; readonly path: string }
  /* A sentence. */
  | { readonly kind: 'unusable'; readonly why: string };

/* A command that starts on another machine now: what carries it there is a run of this one. */
export interface PreparedStart {
  readonly spawn: HostSpawn;
  /* The session with that host, which the run belongs to. */
  readonly sessionId: string;
  /* What people are shown: the command, not what carries it. */
  readonly shownAs: string;
  /* From SIGTERM to SIGKILL here: the end on the host takes its own time before. */
  readonly graceMs: number;
  /* One of the two is called, once. */
  started(run: ManagedRun): void;
  notStarted(): void;
}

export interface HostStart extends HostCommand {
  readonly account: string;
  /* Who asks: `device:ID`, `token:ID`, `mcp:claude-code`. */
  readonly requester: string;
  /* The session with that host that it is to go through. Absent: whichever there is. */
  readonly sessionId: string | undefined;
  /* From SIGTERM to SIGKILL on the host. */
  readonly graceMs: number | undefined;
}

export interface HostPort {
  /* `local`, or a connection's id. */
  readonly id: string;
  /* What people call it. Absent: as its id. */
  readonly name?: string;
  /* A person has said that nothing which runs there is asked about. Absent: the policy for the caller decides. */
  readonly isFullyAllowed?: boolean;
  readonly usualTimeoutSeconds: number;
  /* PATH that a bare program name is looked up in. */
  readonly searchPath: string;
  /* The directory a command without one runs in, unless it has a user with a home of its own. */
  readonly homeDirectory: string;
  /* As whom a command of this account runs on this machine; undefined: as we do. Rejects for an account that runs nothing there. */
  userOf(account: string): Promise<HostUser | undefined>;
  /* Where a directory is, with its links followed: the same place to whoever judges a command and to the command itself. */
  findDirectory(path: string, signal: AbortSignal): Promise<FoundDirectory>;
  /* May have to reach it first; the signal ends that. */
  plan(command: HostCommand, signal: AbortSignal): Promise<HostSpawn>;
  /* Of another machine: at the start itself, when every decision is made. Then the plan is only what was decided on. */
  prepare?(start: HostStart, signal: AbortSignal): Promise<PreparedStart>;
}

/* The hosts that accounts have beside this machine. */
export interface RemoteHosts {
  /* By its id, or by a label that people gave it; undefined: this account has none that is called so. */
  find(account: string, idOrLabel: string, signal: AbortSignal): Promise<HostPort | undefined>;
  /* Their ids, for a caller that named another. */
  idsOf(account: string, signal: AbortSignal): Promise<readonly string[]>;
}
