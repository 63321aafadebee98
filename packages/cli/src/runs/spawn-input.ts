/*
 * From the flags of `clf run` to what the supervisor takes.
 */
import { resolve } from 'node:path';
import type { RunLimits, SpawnInput } from '@clawdfather/supervisor';
import type { ParsedArgs } from '../args/parse.ts';
import { parseBytes, parseDurationMs, parseInteger, parsePairs } from '../args/values.ts';
import { cleanEnv, type Config } from '../config.ts';
import { usageError } from '../errors.ts';
import type { TerminalSize } from '../io/io.ts';
import { nameLabel } from '../render/run-json.ts';

/* Runs that a person starts belong to this session unless told otherwise. */
const defaultSession = 'cli';
const backendId = 'cli';

/* What a terminal run believes to be on when the caller's own terminal has no name. */
const defaultTerminalType = 'xterm-256color';

export interface SpawnContext {
  readonly config: Config;
  /* Size of a PTY; the local terminal's where there is one. */
  readonly size: TerminalSize;
}

export function spawnInputFrom(args: ParsedArgs, context: SpawnContext): SpawnInput {
  const [program = '', ...rest] = args.operands;
  if (program === '') throw usageError('the command is empty', 'Write: clf run -- COMMAND');
  if (!context.config.isArgvText) {
    throw usageError(
      'an argument is not UTF-8 and would reach the command changed',
      'Put it into a script, or let the command find it: clf run -- sh -c "rm ./*.tmp"',
    );
  }
  const common = commonInput(args, context);
  if (args.has('pty')) {
    const env = { ...common.env, TERM: common.env['TERM'] ?? defaultTerminalType };
    return { ...common, env, mode: 'pty-argv', argv: [program, ...rest], ...context.size };
  }
  return { ...common, mode: 'child', argv: [program, ...rest], stdin: stdinFrom(args) };
}

/* A detached run has no input unless somebody means to attach to it: a reader would wait for ever. */
export function stdinFrom(args: ParsedArgs): 'open' | 'closed' {
  if (args.has('no-stdin')) return 'closed';
  return args.has('detach') && !args.has('interactive') ? 'closed' : 'open';
}

function commonInput(args: ParsedArgs, { config }: SpawnContext) {
  const { values } = config;
  const nice = optional(args.value('nice'), (text) =>
    parseInteger('--nice', text, { min: -20, max: 19 }),
  );
  const idleMs = values['run.idleTimeout'];
  const limits = limitsFrom(args, config);
  return {
    sessionId: args.value('session') ?? defaultSession,
    backendId,
    labels: labelsFrom(args),
    cwd: resolve(config.cwd, args.value('cwd') ?? '.'),
    env: envFrom(args, config),
    // T9: no deadline unless asked for, and that is said here on purpose.
    overallTimeoutMs: values['run.timeout'],
    leftovers: values['run.leftovers'],
    ownerLoss: values['run.ownerLoss'],
    graceMs: values['run.grace'],
    journal: { mode: 'ring', bytesMax: values['run.journalMax'] },
    ...(idleMs === undefined ? {} : { noOutputTimeoutMs: idleMs }),
    ...(nice === undefined ? {} : { nice }),
    ...(limits === undefined ? {} : { limits }),
  } as const;
}

function labelsFrom(args: ParsedArgs): Record<string, string> {
  const labels = parsePairs('--label', args.values('label'));
  const name = args.value('name');
  if (name === undefined) return labels;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) {
    throw usageError(
      `--name is not a name: "${name}"`,
      'Use letters, digits, dots, dashes and underscores, at most 63 of them.',
    );
  }
  return { ...labels, [nameLabel]: name };
}

function envFrom(args: ParsedArgs, config: Config): Record<string, string> {
  const base = args.has('clean-env') ? cleanEnv(config.commandEnv) : config.commandEnv;
  return {
    ...base,
    ...parsePairs('--env', args.values('env'), (name) => config.commandEnv[name]),
  };
}

function limitsFrom(args: ParsedArgs, config: Config): RunLimits | undefined {
  const count = (flag: string) =>
    optional(args.value(flag), (text) =>
      parseInteger(`--${flag}`, text, { min: 1, max: 2 ** 31 - 1 }),
    );
  const size = (flag: string) =>
    optional(args.value(flag), (text) => parseBytes(`--${flag}`, text));
  // S3: Node has raised ours, and the command is to have those of the shell it was typed into.
  const openFiles = count('limit-open-files') ?? config.openFiles;
  const processes = count('limit-processes');
  const fileBytes = size('limit-file-size');
  const memoryBytes = size('limit-memory');
  const cpuMs = optional(args.value('limit-cpu'), (text) => parseDurationMs('--limit-cpu', text));
  const limits: RunLimits = {
    ...(openFiles === undefined ? {} : { openFiles }),
    ...(processes === undefined ? {} : { processes }),
    ...(fileBytes === undefined ? {} : { fileBytes }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    // The kernel counts whole seconds; half a second must not become none.
    ...(cpuMs === undefined ? {} : { cpuSeconds: Math.max(1, Math.ceil(cpuMs / 1_000)) }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function optional<Value>(
  text: string | undefined,
  parse: (text: string) => Value,
): Value | undefined {
  return text === undefined ? undefined : parse(text);
}
