/*
 * Where a command runs. The local machine implements it here; SSH hosts implement it later. A command on another machine
 * is still a supervised run of this one (an ssh client), so every host ends in the supervisor's own input.
 */
import type { SpawnInput } from '@clawdfather/supervisor';
import type { ProposedAction } from '../approvals/gatekeeper.ts';
import type { HostUser } from './local-users.ts';

export interface HostCommand {
  readonly runId: string;
  readonly command: ProposedAction['command'];
  readonly cwd: string;
  readonly envAdditions: Readonly<Record<string, string>>;
  readonly terminal: { readonly cols: number; readonly rows: number } | undefined;
  /* What `userOf` answered for the account that asks. */
  readonly user: HostUser | undefined;
}

/* What the host decides of a run; deadlines, labels and policies are the tool's. */
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

export interface HostPort {
  /* `local`, or a connection's id. */
  readonly id: string;
  /* Names that people gave it. */
  readonly labels?: readonly string[];
  readonly usualTimeoutSeconds: number;
  /* PATH that a bare program name is looked up in. */
  readonly searchPath: string;
  /* As whom a command of this account runs on this machine; undefined: as we do. Throws `account-not-local`. */
  userOf(account: string): HostUser | undefined;
  /* The directory a command without one runs in, unless it has a user with a home of its own. */
  readonly homeDirectory: string;
  /* Where a directory is, with its links followed: the same place to whoever judges a command and to the command itself. */
  findDirectory(path: string, signal: AbortSignal): Promise<FoundDirectory>;
  plan(command: HostCommand): HostSpawn;
}
