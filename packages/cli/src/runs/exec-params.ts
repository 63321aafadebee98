/*
 * From the flags of `clf exec` to what the exec tool takes.
 */
import { resolve } from 'node:path';
import type { ExecParams } from '@clawdfather/protocol';
import { parseChoice, parsePairs } from '../args/values.ts';
import type { CommandContext } from '../command.ts';
import { usageError } from '../errors.ts';

const securityLevels = ['full', 'allowlist', 'deny'] as const;
const askLevels = ['off', 'on-miss', 'always'] as const;

/* Without `stdin`: that is read when everything else is known to make sense. */
export function execParamsFrom({ args, config, io }: CommandContext): ExecParams {
  const { values } = config;
  const idleMs = values['exec.idleTimeout'];
  const shell = args.value('shell');
  const size = io.terminal?.size();
  const security = args.value('security');
  const ask = args.value('ask');
  return {
    ...commandFrom(args.value('command'), args.operands),
    ...(shell === undefined ? {} : { shell }),
    workdir: resolve(config.cwd, args.value('cwd') ?? '.'),
    env: parsePairs('--env', args.values('env'), (name) => config.commandEnv[name]),
    pty: args.has('pty'),
    // Whoever started it from a terminal will look at it there.
    cols: size?.cols ?? values['terminal.cols'],
    rows: size?.rows ?? values['terminal.rows'],
    background: args.has('background'),
    yieldMs: values['exec.yield'],
    timeoutSeconds: (values['exec.timeout'] ?? 0) / 1_000,
    ...(idleMs === undefined ? {} : { noOutputTimeoutSeconds: idleMs / 1_000 }),
    leftovers: values['exec.leftovers'],
    eof: args.has('eof') || args.has('stdin'),
    ...(security === undefined
      ? {}
      : { security: parseChoice('--security', security, securityLevels) }),
    ...(ask === undefined ? {} : { ask: parseChoice('--ask', ask, askLevels) }),
  };
}

function commandFrom(
  line: string | undefined,
  argv: readonly string[],
): Pick<ExecParams, 'command' | 'argv'> {
  const how = "Write: clf exec -- COMMAND …, or for a shell: clf exec -c 'LINE'";
  if (line !== undefined && argv.length > 0) {
    throw usageError('either -c LINE or a command, not both', how);
  }
  if (line !== undefined) {
    if (line.trim() === '') throw usageError('the shell line is empty', how);
    return { command: line };
  }
  if ((argv[0] ?? '') === '') throw usageError('there is no command', how);
  return { argv: [...argv] };
}
