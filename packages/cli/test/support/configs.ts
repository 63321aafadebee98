/*
 * Configs for tests that are not about them: the call's flags on top of the defaults.
 */
import type { FlagTable, FlagValues } from '../../src/args/flag.ts';
import type { OperandTable, OperandValues } from '../../src/args/operand.ts';
import { type CallSettings, type ParsedCall, parseCall } from '../../src/args/parse.ts';
import { readWords } from '../../src/args/read-words.ts';
import type { CommandSpec } from '../../src/args/spec.ts';
import { type Config, readCaller, usualConfig } from '../../src/config.ts';

export interface TestCall<Flags extends FlagTable, Operands extends OperandTable> {
  readonly flags: FlagValues<Flags>;
  readonly operands: OperandValues<Operands>;
  readonly isJson: boolean;
  readonly callSettings: CallSettings;
  readonly config: Config;
}

/* From the words that were typed to what the command would get. */
export function parseWith<Flags extends FlagTable, Operands extends OperandTable>(
  spec: CommandSpec<Flags, Operands>,
  argv: readonly string[],
): ParsedCall<Flags, Operands> {
  return parseCall(spec, readWords(spec, argv));
}

export function callWith<Flags extends FlagTable, Operands extends OperandTable>(
  spec: CommandSpec<Flags, Operands>,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = { HOME: '/h' },
): TestCall<Flags, Operands> {
  const call = parseWith(spec, argv);
  const caller = readCaller({ argv, env, cwd: '/here', pid: 7, umask: 0o022 });
  return { ...call, config: usualConfig(caller, call.callSettings) };
}
