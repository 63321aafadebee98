/*
 * From the flags of `clf exec` to what the exec tool takes.
 */
import { resolve } from 'node:path';
import { execLimits, type ExecParams } from '@clawdfather/protocol';
import { assignedEnv } from '../args/kinds.ts';
import type { CallOf } from '../command.ts';
import type { execSpec } from '../commands/tool-specs.ts';
import { usageError } from '../errors.ts';
import { findPlaceOf, isElsewhere } from '../hosts/place-of-host.ts';
import { refuseOnHost } from '../hosts/refuse-on-host.ts';
import { workdirOf } from '../place/executor.ts';

/* Without `stdin`: that is read when everything else is known to make sense. */
export function execParamsFrom(call: CallOf<typeof execSpec>): ExecParams {
  const { flags, config, io } = call;
  const { values } = config;
  const idleMs = values['exec.idleTimeout'];
  const { shell, security, ask } = flags;
  const here = resolve(config.cwd, flags.cwd ?? '.');
  const { host } = flags;
  const isOnHost = isElsewhere(host);
  if (isOnHost) refuseOnHost({}, config);
  const workdir = isOnHost
    ? flags.cwd
    : workdirOf(findPlaceOf(call), { here, typed: flags.cwd, host });
  const size = io.terminal?.size();
  return {
    ...commandFrom(lineOf(call), wordsOf(call)),
    ...(shell === undefined ? {} : { shell }),
    ...(workdir === undefined ? {} : { workdir }),
    ...(host === undefined ? {} : { host }),
    env: assignedEnv(flags.env, config.commandEnv),
    pty: flags.pty,
    // Whoever started it from a terminal will look at it there.
    cols: size?.cols ?? values['terminal.cols'],
    rows: size?.rows ?? values['terminal.rows'],
    background: flags.background,
    yieldMs: values['exec.yield'],
    timeoutSeconds: timeoutSecondsOf(call),
    ...(idleMs === undefined ? {} : { noOutputTimeoutSeconds: idleMs / 1_000 }),
    leftovers: isOnHost ? 'keep' : values['exec.leftovers'],
    eof: flags.eof || flags.stdin,
    ...(security === undefined ? {} : { security }),
    ...(ask === undefined ? {} : { ask }),
  };
}

/* As for agents: what is started in the background has no limit that nobody chose. */
function timeoutSecondsOf({ flags, config }: CallOf<typeof execSpec>): number {
  const isChosen = config.origins['exec.timeout'].kind !== 'default';
  if (flags.background && !isChosen) return 0;
  if (isElsewhere(flags.host) && !isChosen) return execLimits.timeoutSeconds.usualRemote;
  return (config.values['exec.timeout'] ?? 0) / 1_000;
}

/* `--join`: the words are a line for the shell, as ssh makes one of them. */
function lineOf({ flags, operands }: CallOf<typeof execSpec>): string | undefined {
  return flags.join && operands.command.length > 0 ? operands.command.join(' ') : flags.command;
}

function wordsOf({ flags, operands }: CallOf<typeof execSpec>): readonly string[] {
  return flags.join ? [] : operands.command;
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
