/*
 * Every setting there is: its key in the file, its kind, its default, and what it means.
 *
 * One table drives the file's validation, the variables, `clf config`, the published
 * JSON schema and docs/config.md, so that they cannot disagree. Variables are named
 * after the keys: run.idleTimeout is CLAWDFATHER_RUN_IDLE_TIMEOUT.
 */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import {
  bytes,
  choice,
  choices,
  controlKey,
  duration,
  durationWithin,
  grace,
  integer,
  limit,
  path,
  paths,
} from './kinds.ts';
import { gatewaySettings } from './gateway-settings.ts';
import { queueSettings } from './queue-settings.ts';
import { type CallerFacts, type Setting, setting } from './setting.ts';

export type { CallerFacts } from './setting.ts';

const day = 86_400_000;
const second = 1_000;
const gigabyte = 2 ** 30;

const leftovers = choice(['keep', 'end', 'fail']);
const security = choice(['full', 'allowlist', 'deny']);
const ask = choice(['off', 'on-miss', 'always']);
const shieldMode = choice(['on', 'require', 'off']);
const shieldDoors = choices(['docker', 'podman', 'ssh', 'gpg', 'dbus', 'postgresql', 'tmp']);
/* As in the protocol: a terminal of more is a mistake. */
const cells = integer({ min: 1, max: 1_000 });

export const settingTable = {
  stateDir: {
    kind: path,
    usual: ({ env }: CallerFacts) => join(homeFrom(env), '.local', 'state', 'clawdfather'),
    foreign: (env: CallerFacts['env']) => xdgDirectory(env, 'XDG_STATE_HOME'),
    summary: 'where runs, their output and the registry are kept',
  },
  color: setting(choice(['auto', 'always', 'never']), {
    usual: 'auto',
    foreign: colourVariables,
    summary: 'colours: on a terminal, always, or never',
  }),
  log: setting(choice(['off', 'error', 'warn', 'info', 'debug']), {
    usual: 'off',
    summary: "from this level on, the supervisor's log as JSON lines on stderr",
  }),
  detachKey: setting(controlKey, {
    usual: 'Ctrl-]',
    summary: 'pressed twice, quickly, it leaves an attached run; none for no such key',
  }),
  'completion.wait': setting(durationWithin({ min: 100, max: 60 * second }), {
    usual: second,
    summary: 'how long the Tab key waits for words that a gateway knows',
  }),
  'terminal.cols': setting(cells, {
    usual: 120,
    summary: 'columns of a terminal that nobody looks at',
  }),
  'terminal.rows': setting(cells, {
    usual: 30,
    summary: 'rows of a terminal that nobody looks at',
  }),
  'run.timeout': setting(limit, {
    usual: undefined,
    summary: '`run`: end the command after this long',
  }),
  'run.idleTimeout': setting(limit, {
    usual: undefined,
    summary: '`run`: end the command when it says nothing for this long',
  }),
  'run.grace': setting(grace, {
    usual: 5 * second,
    summary: '`run`: from SIGTERM to SIGKILL',
  }),
  'run.leftovers': setting(leftovers, {
    usual: 'keep',
    summary: '`run`: what becomes of processes that the command leaves behind',
  }),
  'run.ownerLoss': setting(choice(['adopt', 'kill']), {
    usual: 'adopt',
    summary: '`run`: whether the command goes on when clf itself is killed, or is ended 15 s later',
  }),
  'run.journalMax': setting(bytes, {
    usual: gigabyte,
    summary: '`run`: keep at most this much output of one run, the newest',
  }),
  'exec.yield': setting(durationWithin({ min: 10, max: 120 * second }), {
    usual: 10 * second,
    summary: '`exec` and MCP: wait this long, then go on in the background',
  }),
  'exec.timeout': setting(limit, {
    usual: 1_800 * second,
    summary:
      '`exec` and MCP: end the command after this long; unless set, 2m on an SSH host, and not with `background`',
  }),
  'exec.idleTimeout': setting(limit, {
    usual: undefined,
    summary: '`exec` and MCP: end the command when it says nothing for this long',
  }),
  'exec.leftovers': setting(leftovers, {
    usual: 'keep',
    summary: '`exec` and MCP: what becomes of processes that the command leaves behind',
  }),
  'gc.olderThan': setting(duration, {
    usual: 7 * day,
    summary: '`gc` and the gateway: finished runs older than this go',
  }),
  'gc.keep': setting(integer({ min: 0, max: 1_000_000_000 }), {
    usual: 1_000,
    summary: '`gc` and the gateway: keep at most so many finished runs of each account',
  }),
  'gc.maxSize': setting(bytes, {
    usual: 10 * gigabyte,
    summary: '`gc` and the gateway: keep at most this much output of finished runs of each account',
  }),
  'policy.cli.security': setting(security, {
    usual: 'full',
    summary: 'what a person may start with `clf exec` without being asked',
  }),
  'policy.cli.ask': setting(ask, {
    usual: 'off',
    summary: 'when a person who types `clf exec` is asked',
  }),
  'policy.mcp.security': setting(security, {
    usual: 'allowlist',
    summary: 'what an agent may start over MCP without anybody being asked',
  }),
  'policy.mcp.ask': setting(ask, {
    usual: 'on-miss',
    summary: 'when a person is asked about what an agent wants to start',
  }),
  'policy.allow': setting(paths, {
    usual: [],
    summary: 'programs on the allowlist besides those approved one by one',
  }),
  'shield.mode': setting(shieldMode, {
    usual: 'on',
    summary:
      'the shield around what agents start: `on` takes what this machine offers, `require` all or nothing, `off` none',
  }),
  'shield.hide': setting(paths, {
    usual: [],
    summary: 'files and directories that agents’ commands do not see, beside the usual ones',
  }),
  'shield.open': setting(shieldDoors, {
    usual: [],
    summary: 'what is let in again; `docker`, `podman`, `dbus` and `tmp` equal full access',
  }),
  'shield.write': setting(paths, {
    usual: [],
    summary: 'the only trees that agents’ commands write to, beside the working tree',
  }),
  'top.interval': setting(durationWithin({ min: 100, max: 3_600 * second }), {
    usual: 2 * second,
    summary: '`top`: time between two looks',
  }),
  ...gatewaySettings,
  ...queueSettings,
} as const;

export type SettingKey = keyof typeof settingTable;
export type SettingValues = {
  readonly [Key in SettingKey]: (typeof settingTable)[Key] extends Setting<infer Value>
    ? Value
    : never;
};

export const settingKeys = Object.keys(settingTable) as readonly SettingKey[];

/* As the loops over the table see one: its values go back only into its own kind. */
export function settingOf(key: SettingKey): Setting<unknown> {
  return settingTable[key] as Setting<unknown>;
}

export function variableOf(key: SettingKey): string {
  const { variable } = settingOf(key);
  if (variable !== undefined) return variable;
  const words = key.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('.', '_');
  return `CLAWDFATHER_${words.toUpperCase()}`;
}

/* The XDG specification: a relative path is invalid and must be ignored. */
export function configDirectory({ env }: Pick<CallerFacts, 'env'>): string {
  const own = env['XDG_CONFIG_HOME'] ?? '';
  const base = isAbsolute(own) ? own : join(homeFrom(env), '.config');
  return join(base, 'clawdfather');
}

/* A path from a flag or a variable is relative to the caller, one with ~ to the home directory. */
export function absolutePath(text: string, { env, cwd }: CallerFacts): string {
  return text.startsWith('~/') ? join(homeFrom(env), text.slice(2)) : resolve(cwd, text);
}

function homeFrom(env: CallerFacts['env']): string {
  return env['HOME'] || homedir();
}

function xdgDirectory(env: CallerFacts['env'], name: string) {
  const value = env[name] ?? '';
  return isAbsolute(value) ? { name, value: join(value, 'clawdfather') } : undefined;
}

function colourVariables(env: CallerFacts['env']) {
  // no-color.org: any value but an empty one counts.
  if ((env['NO_COLOR'] ?? '') !== '') return { name: 'NO_COLOR', value: 'never' as const };
  return env['TERM'] === 'dumb' ? { name: 'TERM', value: 'never' as const } : undefined;
}
