/*
 * The one place that reads environment variables and argv.
 *
 * Order: defaults < environment < flags (the flags are applied by cli.ts).
 */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { LogLevel } from '@clawdfather/kit';
import type { LimitPair } from '@clawdfather/supervisor';

export interface Config {
  readonly argv: readonly string[];
  /* False when some argument was not UTF-8 and is not what it was any more. */
  readonly isArgvText: boolean;
  readonly cwd: string;
  readonly pid: number;
  readonly stateDir: string;
  /* NO_COLOR is not set and the terminal is not a dumb one. */
  readonly isColourAllowed: boolean;
  /* What a command started here gets: the caller's own, without our private names. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /* Of the shell we were called from, before Node raised ours; undefined when nobody noted them. */
  readonly openFiles: LimitPair | undefined;
  /* CLAWDFATHER_LOG: what the supervisor reports goes to stderr from this level on. */
  readonly logLevel: LogLevel | undefined;
}

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export interface ProcessFacts {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  readonly isArgvText?: boolean;
}

/*
 * Identity of an outer run. A run started inside a run is a run of its own: with
 * the outer lease id in its environment a sweep for the outer one would end it (T8).
 * The last one is a note of bin/clawdfather to us.
 */
const privateNames = new Set([
  'CLAWDFATHER_RUN_ID',
  'CLAWDFATHER_LEASE_ID',
  'CLAWDFATHER_GATEWAY_INSTANCE_ID',
  'CLAWDFATHER_OPEN_FILES',
]);

export function readConfig(facts: ProcessFacts): Config {
  const { env } = facts;
  return {
    argv: facts.argv,
    isArgvText: facts.isArgvText ?? true,
    cwd: facts.cwd,
    pid: facts.pid,
    stateDir: stateDirFrom(facts),
    // no-color.org: any value but an empty one counts.
    isColourAllowed: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    commandEnv: commandEnvFrom(env),
    openFiles: openFilesFrom(env['CLAWDFATHER_OPEN_FILES'] ?? ''),
    logLevel: logLevels.find((level) => level === env['CLAWDFATHER_LOG']),
  };
}

function stateDirFrom({ env, cwd }: ProcessFacts): string {
  const own = env['CLAWDFATHER_STATE_DIR'] ?? '';
  if (own !== '') return resolve(cwd, own);
  const xdg = env['XDG_STATE_HOME'] ?? '';
  // The XDG specification: a relative path is invalid and must be ignored.
  const base = isAbsolute(xdg) ? xdg : join(env['HOME'] || homedir(), '.local', 'state');
  return join(base, 'clawdfather');
}

/* `soft:hard`; a limit that is none needs no passing on. */
function openFilesFrom(text: string): LimitPair | undefined {
  const match = /^(\d{1,15}):(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  const [soft, hard] = [Number(match[1]), Number(match[2])];
  return soft > 0 && soft <= hard ? { soft, hard } : undefined;
}

function commandEnvFrom(env: ProcessFacts['env']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !privateNames.has(name)) kept[name] = value;
  }
  return kept;
}

const cleanNames = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TERM',
  'TMPDIR',
] as const;

/* `--clean-env`: what a login would give, nothing that this shell session collected. */
export function cleanEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const isKept = (name: string): boolean =>
    cleanNames.some((one) => one === name) || name.startsWith('LC_') || name.startsWith('XDG_');
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}
