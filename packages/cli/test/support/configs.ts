/*
 * Configs for tests that are not about them: the call's flags on top of the defaults.
 */
import { type ParsedArgs, parseArgs } from '../../src/args/parse.ts';
import type { CommandSpec } from '../../src/args/spec.ts';
import { type Config, readCaller, usualConfig } from '../../src/config.ts';

export interface TestCall {
  readonly args: ParsedArgs;
  readonly config: Config;
}

export function callWith(
  spec: CommandSpec,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = { HOME: '/h' },
): TestCall {
  const args = parseArgs(spec, argv);
  const caller = readCaller({ argv, env, cwd: '/here', pid: 7, umask: 0o022 });
  return { args, config: usualConfig(caller, { spec, args }) };
}
