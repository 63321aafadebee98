/*
 * What every command is and is given.
 */
import type { Clock, Random } from '@clawdfather/kit';
import type { ParsedArgs } from './args/parse.ts';
import type { CommandSpec } from './args/spec.ts';
import type { Caller, Config } from './config.ts';
import type { ExitStatus } from './exit-status.ts';
import type { Io } from './io/io.ts';
import type { Paint } from './render/paint.ts';

export interface CliDeps {
  readonly caller: Caller;
  readonly io: Io;
  readonly clock: Clock;
  readonly random: Random;
}

export interface CommandContext extends CliDeps {
  readonly config: Config;
  readonly args: ParsedArgs;
  readonly isJson: boolean;
  /* For stdout. */
  readonly paint: Paint;
}

export type Execute = (context: CommandContext) => Promise<ExitStatus>;

export interface Command {
  readonly spec: CommandSpec;
  /* Loaded when it is asked for: a start must not pay for the other commands. */
  /* It works whatever the config file and the variables say, and gets neither. */
  readonly isConfigFree?: boolean;
  readonly load: () => Promise<{ readonly execute: Execute }>;
}
