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

/*
 * What a command needs of the config file, and so what becomes of it when the file has a mistake.
 *
 *   required   it does other things, and perhaps harm, by what the file says: it is refused
 *   optional   it looks, or ends what a person names: it goes on with the defaults, and warns
 *   unread     it works whatever the file and the variables say, and gets neither
 */
export type ConfigFileUse =
  | 'required'
  | 'optional'
  | 'unread'
  /* With this flag it only looks. */
  | { readonly requiredUnless: 'dry-run' };

export interface Command {
  readonly spec: CommandSpec;
  readonly configFile: ConfigFileUse;
  /* Loaded when it is asked for: a start must not pay for the other commands. */
  readonly load: () => Promise<{ readonly execute: Execute }>;
}
