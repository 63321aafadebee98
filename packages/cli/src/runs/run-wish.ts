/*
 * From the flags of `clf run` to what is asked of a place.
 */
import { assignedEnv } from '../args/kinds.ts';
import type { CallOf } from '../command.ts';
import type { runSpec } from '../commands/run-spec.ts';
import { usageError } from '../errors.ts';
import { isElsewhere } from '../hosts/place-of-host.ts';
import { refuseOnHost } from '../hosts/refuse-on-host.ts';
import type { TerminalSize } from '../io/io.ts';
import type { RunWish } from '../place/place.ts';

type RunCall = Pick<CallOf<typeof runSpec>, 'flags' | 'operands' | 'config'>;
type RunFlags = RunCall['flags'];

/* `size` is that of a PTY: the local terminal's where there is one. */
export function runWishFrom({ flags, operands, config }: RunCall, size: TerminalSize): RunWish {
  const [program = '', ...rest] = operands.command;
  if (program === '') throw usageError('the command is empty', 'Write: clf run -- COMMAND');
  if (!config.isArgvText) {
    throw usageError(
      'an argument is not UTF-8 and would reach the command changed',
      'Put it into a script, or let the command find it: clf run -- sh -c "rm ./*.tmp"',
    );
  }
  const { values } = config;
  if (isElsewhere(flags.host)) refuseOnHost(flags, config);
  return {
    argv: [program, ...rest],
    terminal: flags.pty ? size : undefined,
    stdin: stdinFrom(flags),
    cwd: flags.cwd,
    envAdditions: assignedEnv(flags.env, config.commandEnv),
    isEnvClean: flags.cleanEnv,
    sessionId: flags.session,
    timeoutMs: values['run.timeout'],
    idleTimeoutMs: values['run.idleTimeout'],
    leftovers: isElsewhere(flags.host) ? 'keep' : values['run.leftovers'],
    ownerLoss: values['run.ownerLoss'],
    isReplacing: flags.replace,
    extras: {
      name: flags.name,
      ...(Object.keys(flags.label).length === 0 ? {} : { labels: { ...flags.label } }),
      graceMs: values['run.grace'],
      nice: flags.nice,
      limits: limitsFrom(flags),
      journalBytesMax: values['run.journalMax'],
      ...(flags.shield ? { shield: true } : {}),
      ...(flags.tools ? { tools: true } : {}),
    },
  };
}

/* A detached run has no input unless somebody means to attach to it: a reader would wait for ever. */
export function stdinFrom(flags: RunFlags): 'open' | 'closed' {
  if (flags.noStdin) return 'closed';
  return flags.detach && !flags.interactive ? 'closed' : 'open';
}

function limitsFrom(flags: RunFlags): RunWish['extras']['limits'] {
  const { limitOpenFiles, limitProcesses, limitFileSize, limitMemory, limitCpu } = flags;
  const limits = {
    ...(limitOpenFiles === undefined ? {} : { openFiles: limitOpenFiles }),
    ...(limitProcesses === undefined ? {} : { processes: limitProcesses }),
    ...(limitFileSize === undefined ? {} : { fileBytes: limitFileSize }),
    ...(limitMemory === undefined ? {} : { memoryBytes: limitMemory }),
    ...(limitCpu === undefined ? {} : { cpuSeconds: limitCpu }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}
