/*
 * Where a command runs. The local machine implements it here; SSH hosts implement it later. A command on another machine
 * is still a supervised run of this one (an ssh client), so every host ends in the supervisor's own input.
 */
import type { SpawnInput } from '@clawdfather/supervisor';
import type { ProposedAction } from '../approvals/gatekeeper.ts';

export interface HostCommand {
  readonly runId: string;
  readonly command: ProposedAction['command'];
  readonly cwd: string;
  readonly envAdditions: Readonly<Record<string, string>>;
  readonly terminal: { readonly cols: number; readonly rows: number } | undefined;
}

/* What the host decides of a run; deadlines, labels and policies are the tool's. */
export type HostSpawn = Pick<SpawnInput, 'cwd' | 'env'> &
  (
    | { readonly mode: 'child'; readonly argv: readonly [string, ...string[]] }
    | { readonly mode: 'pty'; readonly ptyCommand: string; readonly shell: string }
    | { readonly mode: 'pty-argv'; readonly argv: readonly [string, ...string[]] }
  );

export interface HostPort {
  /* `local`, or a connection's id. */
  readonly id: string;
  /* Names that people gave it. */
  readonly labels?: readonly string[];
  readonly usualTimeoutSeconds: number;
  /* PATH that a bare program name is looked up in. */
  readonly searchPath: string;
  /* The directory a command without one runs in. */
  readonly homeDirectory: string;
  /* A sentence saying why a directory cannot be used, or undefined. */
  whyNoDirectory(path: string, signal: AbortSignal): Promise<string | undefined>;
  plan(command: HostCommand): HostSpawn;
}
