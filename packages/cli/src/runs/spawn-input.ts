/*
 * From the flags of `clf run` to what the supervisor takes.
 */
import { resolve } from 'node:path';
import type { RunLimits, SpawnInput } from '@clawdfather/supervisor';
import { assignedEnv } from '../args/kinds.ts';
import type { CallOf } from '../command.ts';
import type { runSpec } from '../commands/run-spec.ts';
import { cleanEnv } from '../config.ts';
import { usageError } from '../errors.ts';
import type { TerminalSize } from '../io/io.ts';
import { nameLabel } from '../render/run-json.ts';

/* Runs that a person starts belong to this session unless told otherwise. */
const defaultSession = 'cli';
const backendId = 'cli';

/* What a terminal run believes to be on when the caller's own terminal has no name. */
const defaultTerminalType = 'xterm-256color';

type RunCall = Pick<CallOf<typeof runSpec>, 'flags' | 'operands' | 'config'>;
type RunFlags = RunCall['flags'];

/* `size` is that of a PTY: the local terminal's where there is one. */
export function spawnInputFrom(call: RunCall, size: TerminalSize): SpawnInput {
  const [program = '', ...rest] = call.operands.command;
  if (program === '') throw usageError('the command is empty', 'Write: clf run -- COMMAND');
  if (!call.config.isArgvText) {
    throw usageError(
      'an argument is not UTF-8 and would reach the command changed',
      'Put it into a script, or let the command find it: clf run -- sh -c "rm ./*.tmp"',
    );
  }
  const common = commonInput(call);
  if (call.flags.pty) {
    const env = { ...common.env, TERM: common.env['TERM'] ?? defaultTerminalType };
    return { ...common, env, mode: 'pty-argv', argv: [program, ...rest], ...size };
  }
  return { ...common, mode: 'child', argv: [program, ...rest], stdin: stdinFrom(call.flags) };
}

/* A detached run has no input unless somebody means to attach to it: a reader would wait for ever. */
export function stdinFrom(flags: RunFlags): 'open' | 'closed' {
  if (flags.noStdin) return 'closed';
  return flags.detach && !flags.interactive ? 'closed' : 'open';
}

function commonInput({ flags, config }: RunCall) {
  const { values } = config;
  const idleMs = values['run.idleTimeout'];
  const limits = limitsFrom({ flags, config });
  return {
    sessionId: flags.session ?? defaultSession,
    backendId,
    labels: labelsFrom(flags),
    cwd: resolve(config.cwd, flags.cwd ?? '.'),
    env: envFrom({ flags, config }),
    // T9: no deadline unless asked for, and that is said here on purpose.
    overallTimeoutMs: values['run.timeout'],
    leftovers: values['run.leftovers'],
    ownerLoss: values['run.ownerLoss'],
    graceMs: values['run.grace'],
    journal: { mode: 'ring', bytesMax: values['run.journalMax'] },
    ...(idleMs === undefined ? {} : { noOutputTimeoutMs: idleMs }),
    ...(flags.nice === undefined ? {} : { nice: flags.nice }),
    ...(limits === undefined ? {} : { limits }),
  } as const;
}

function labelsFrom({ label, name }: RunFlags): Record<string, string> {
  return name === undefined ? { ...label } : { ...label, [nameLabel]: name };
}

function envFrom({ flags, config }: Pick<RunCall, 'flags' | 'config'>): Record<string, string> {
  const { commandEnv } = config;
  const base = flags.cleanEnv ? cleanEnv(commandEnv) : commandEnv;
  return { ...base, ...assignedEnv(flags.env, commandEnv) };
}

function limitsFrom({ flags, config }: Pick<RunCall, 'flags' | 'config'>): RunLimits | undefined {
  // S3: Node has raised ours, and the command is to have those of the shell it was typed into.
  const openFiles = flags.limitOpenFiles ?? config.openFiles;
  const { limitProcesses, limitFileSize, limitMemory, limitCpu } = flags;
  const limits: RunLimits = {
    ...(openFiles === undefined ? {} : { openFiles }),
    ...(limitProcesses === undefined ? {} : { processes: limitProcesses }),
    ...(limitFileSize === undefined ? {} : { fileBytes: limitFileSize }),
    ...(limitMemory === undefined ? {} : { memoryBytes: limitMemory }),
    // The kernel counts whole seconds; half a second must not become none.
    ...(limitCpu === undefined ? {} : { cpuSeconds: Math.max(1, Math.ceil(limitCpu / 1_000)) }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}
