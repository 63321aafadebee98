/*
 * What every command is and is given.
 */
import type { Clock, Random } from '@clawdfather/kit';
import type { FlagTable, FlagValues } from './args/flag.ts';
import type { OperandTable, OperandValues } from './args/operand.ts';
import { type CallSettings, parseCall } from './args/parse.ts';
import type { SortedWords } from './args/read-words.ts';
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

/* What every command gets, whatever its flags are. */
export interface CommandContext extends CliDeps {
  readonly config: Config;
  /* What `config` was made of, for commands that read the file again. */
  readonly callSettings: CallSettings;
  readonly isJson: boolean;
  /* For stdout. */
  readonly paint: Paint;
}

/* What a command gets: `CallOf<typeof psSpec>`. */
export interface CallOf<Spec extends CommandSpec> extends CommandContext {
  readonly flags: FlagValues<Spec['flags']>;
  readonly operands: OperandValues<Spec['operands']>;
}

export type Execute<Spec extends CommandSpec> = (call: CallOf<Spec>) => Promise<ExitStatus>;

/*
 * What a command needs of the config file, and so what happens when the file has a mistake.
 *
 *   required   it does other things, and perhaps harm, by what the file says: it is refused
 *   optional   it looks, or ends what a person names: it goes on with the defaults, and warns
 *   unread     it works whatever the file and the variables say, and gets neither
 */
export type ConfigFileUse = 'required' | 'optional' | 'unread';

/* A command whose types are checked and forgotten, so that all of them fit into one table. */
export interface Command {
  readonly spec: CommandSpec;
  /* Throws a usage error for a value that is wrong, before anything is loaded or opened. */
  readonly prepare: (words: SortedWords) => PreparedCall;
}

export interface PreparedCall {
  readonly configFile: ConfigFileUse;
  readonly callSettings: CallSettings;
  readonly isJson: boolean;
  readonly execute: (context: CommandContext) => Promise<ExitStatus>;
}

/* `load` imports the code when the command is called: a start must not pay for the other commands. */
export function command<Flags extends FlagTable, Operands extends OperandTable>(
  spec: CommandSpec<Flags, Operands>,
  configFile: ConfigFileUse | ((flags: FlagValues<Flags>) => ConfigFileUse),
  load: () => Promise<Execute<CommandSpec<Flags, Operands>>>,
): Command {
  return {
    spec,
    prepare: (words) => {
      const { flags, operands, callSettings, isJson } = parseCall(spec, words);
      return {
        configFile: typeof configFile === 'function' ? configFile(flags) : configFile,
        callSettings,
        isJson,
        execute: async (context) => (await load())({ ...context, flags, operands }),
      };
    },
  };
}
