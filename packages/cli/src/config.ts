/*
 * The one place that reads environment variables, argv and the config file.
 *
 * Two steps, because help must work when the file does not: `readCaller` notes who
 * called us and cannot fail; `loadConfig` adds the settings and throws at a mistake; `loadConfigOrUsual` notes it.
 * Order: defaults < file < environment < flags. The settings are in config/settings.ts.
 */
import { join } from 'node:path';
import type { LogLevel } from '@clawdfather/kit';
import type { LimitPair } from '@clawdfather/supervisor';
import type { CallSettings } from './args/parse.ts';
import type { ParsedFile } from './config/parse-file.ts';
import { readConfigFile } from './config/read-file.ts';
import { type Resolved, resolveSettings } from './config/resolve.ts';
import {
  absolutePath,
  type CallerFacts,
  configDirectory,
  type SettingKey,
  type SettingValues,
} from './config/settings.ts';
import { CliError } from './errors.ts';

export interface Caller extends CallerFacts {
  readonly argv: readonly string[];
  /* False when some argument was not UTF-8 and is not what it was any more. */
  readonly isArgvText: boolean;
  readonly pid: number;
  /* What a command started here gets: the caller's own, without our private names. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /* Of the shell we were called from, before Node raised ours; undefined when nobody noted them. */
  readonly openFiles: LimitPair | undefined;
  /* Of the shell we were called from: commands get it, our own files do not. */
  readonly umask: number;
}

export interface Config extends Caller, Resolved {
  readonly stateDir: string;
  /* The settings file, if a person named one. */
  readonly configFile: string | undefined;
  /* The mistake for which the file was left aside; only where a command goes on without it. */
  readonly fileFault?: CliError;
  /* What the supervisor reports goes to stderr from this level on. */
  readonly logLevel: LogLevel | undefined;
}

export interface ProcessFacts {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  readonly umask: number;
  readonly isArgvText?: boolean;
}

/*
 * Identity of an outer run. A run started inside a run is a run of its own: with
 * the outer lease id in its environment a sweep for the outer one would end it (T8).
 * OPEN_FILES is a note of bin/clawdfather to us; the tools of an outer run are for that one.
 */
const privateNames = new Set([
  'CLAWDFATHER_RUN_ID',
  'CLAWDFATHER_LEASE_ID',
  'CLAWDFATHER_GATEWAY_INSTANCE_ID',
  'CLAWDFATHER_OPEN_FILES',
  'CLAWDFATHER_TOOLS',
  'CLAWDFATHER_AGENT_KEY_FILE',
  'CLAWDFATHER_SHIELD',
  'CLAWDFATHER_FOR_RUN',
]);

export function readCaller(facts: ProcessFacts): Caller {
  return {
    argv: facts.argv,
    isArgvText: facts.isArgvText ?? true,
    cwd: facts.cwd,
    pid: facts.pid,
    umask: facts.umask,
    env: facts.env,
    commandEnv: commandEnvFrom(facts.env),
    openFiles: openFilesFrom(facts.env['CLAWDFATHER_OPEN_FILES'] ?? ''),
  };
}

/* The flags of the call decide last. */
export async function loadConfig(caller: Caller, call: CallSettings): Promise<Config> {
  const { path, isNamed } = configPath(caller, call);
  const parsed = await parseConfigAt(path, isNamed);
  const fault = faultOf(path, parsed);
  if (fault !== undefined) throw fault;
  return configFrom(caller, { call, path, isNamed, entries: parsed.entries });
}

/*
 * For commands that must work when the file does not: what it says is left aside, but for where the state is, if that can
 * be read. To look into another directory would show other runs, or none.
 */
export async function loadConfigOrUsual(caller: Caller, call: CallSettings): Promise<Config> {
  const { path, isNamed } = configPath(caller, call);
  const parsed = await parseConfigAt(path, isNamed).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  const fileFault = parsed instanceof CliError ? parsed : faultOf(path, parsed);
  const read = parsed instanceof CliError ? none.entries : parsed.entries;
  if (fileFault === undefined) return configFrom(caller, { call, path, isNamed, entries: read });
  const entries = new Map([...read].filter(([key]) => key === 'stateDir'));
  return { ...configFrom(caller, { call, path, isNamed, entries }), fileFault };
}

function faultOf(path: string, { problems }: ParsedFile): CliError | undefined {
  const [problem, ...others] = problems;
  if (problem === undefined) return undefined;
  const more = others.length === 0 ? [] : ['All that is wrong: clf config check'];
  const hint = [...(problem.hint === undefined ? [] : [problem.hint]), ...more].join(' ');
  return new CliError(
    'config-invalid',
    `${path}:${problem.line}:${problem.column}: ${problem.message}`,
    { ...(hint === '' ? {} : { hint }), detail: { path, line: problem.line } },
  );
}

/* For commands that must work whatever the file and the variables say. */
export function usualConfig(caller: Caller, call: CallSettings): Config {
  const env = {
    HOME: caller.env['HOME'],
    NO_COLOR: caller.env['NO_COLOR'],
    TERM: caller.env['TERM'],
  };
  const config = configFrom(
    { ...caller, env },
    { call, path: '', isNamed: false, entries: new Map() },
  );
  return { ...config, env: caller.env };
}

/* The file's place, and whether somebody asked for this very one. */
export function configPath(
  caller: Caller,
  { configFile }: CallSettings,
): { path: string; isNamed: boolean } {
  const named = configFile || caller.env['CLAWDFATHER_CONFIG'] || '';
  if (named !== '') return { path: absolutePath(named, caller), isNamed: true };
  return { path: join(configDirectory(caller), configFileName), isNamed: false };
}

export const configFileName = 'config.jsonc';
/* By this name nothing is read, as with other programs. */
const noFile = '/dev/null';

const none: ParsedFile = { entries: new Map(), problems: [] };

export async function parseConfigAt(path: string, isNamed: boolean): Promise<ParsedFile> {
  if (path === noFile) return none;
  const text = readConfigFile(path);
  if (text !== undefined) {
    // Loaded when there is something to parse: most people have no file.
    const { parseConfigFile } = await import('./config/parse-file.ts');
    return parseConfigFile(text);
  }
  if (!isNamed) return none;
  throw new CliError('config-unreadable', `${path} does not exist`, {
    hint: 'It was named by --config or CLAWDFATHER_CONFIG.',
    detail: { path },
  });
}

interface ConfigParts {
  readonly call: CallSettings;
  readonly path: string;
  readonly isNamed: boolean;
  readonly entries: ParsedFile['entries'];
}

function configFrom(caller: Caller, parts: ConfigParts): Config {
  const resolved = resolveSettings({
    caller,
    file: { path: parts.path, entries: parts.entries },
    flags: parts.call.settings,
  });
  const { stateDir, log } = resolved.values;
  return {
    ...caller,
    ...resolved,
    stateDir,
    configFile: parts.isNamed ? parts.path : undefined,
    logLevel: log === 'off' ? undefined : log,
  };
}

/* Whether a flag of this call decides it. */
export function isByFlag({ origins }: Resolved, key: SettingKey): boolean {
  return origins[key].kind === 'flag';
}

/* The value, unless nobody chose it. */
export function chosen<Key extends SettingKey>(
  { values, origins }: Resolved,
  key: Key,
): SettingValues[Key] | undefined {
  return origins[key].kind === 'default' ? undefined : values[key];
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

/* `--clean-env`: what a login would give, nothing that this shell session collected. */
export { loginEnvironment as cleanEnv } from '@clawdfather/kit';
