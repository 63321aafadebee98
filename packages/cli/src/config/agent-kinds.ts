/*
 * The kind of the setting `agents`: programs that people talk to, by the names that people call them.
 *
 * In the file `{"agents": {"NAME": {"command": ["PROGRAM", "ARG"], "env": {"NAME": "VALUE"}}}}`; in a variable the same as JSON. An agent
 * that is built in needs no command: what is said of it is added to what is known of it.
 */
import { suggestNearest } from '../args/suggest.ts';
import { usageError } from '../errors.ts';
import type { Json } from '../render/run-json.ts';
import { type AgentLimits, agentLimits } from './agent-limits.ts';
import { onceJson, type OnceSetting, onceSchemas, parseOnce } from './agent-once.ts';
import type { Kind } from './kinds.ts';
import { path } from './kinds.ts';

/* As it is, or in a file that nobody else can read: a key is never a setting. */
export type EnvValue = string | { readonly file: string };

export interface AgentSetting {
  readonly name: string;
  readonly title?: string | undefined;
  /* Absent: the built-in agent of this name. */
  readonly command?: Command | undefined;
  /* Signs it in, at a terminal. */
  readonly login?: Command | undefined;
  readonly env?: Readonly<Record<string, EnvValue>> | undefined;
  /* Of a new thread for which none is named. Kept as written until it is known whose home ~ is. */
  readonly cwd?: string | undefined;
  readonly limits?: AgentLimits | undefined;
  /* It speaks no protocol, and is run once per turn. */
  readonly once?: OnceSetting | undefined;
  /* It sees no sessions but its own and those below. Not the shield, which every agent has. */
  readonly sandboxed?: boolean | undefined;
}

export type Command = readonly [string, ...string[]];

/* Those that need no command. As in the catalogue of agents, which this file must not load: every command reads its settings. */
export const builtInNames = ['opencode', 'claude', 'codex', 'gemini', 'qwen', 'copilot'] as const;

const shape = 'Write it as {"NAME": {"command": ["PROGRAM", "ARG", …]}}.';
const envShape = 'Write it as {"NAME": "VALUE"}, or {"NAME": {"file": "PATH"}}.';
const namePattern = '^[a-z][a-z0-9-]{0,31}$';
const known = [
  'command',
  'login',
  'title',
  'env',
  'cwd',
  'limits',
  'kind',
  'prompt',
  'resume',
  'sandboxed',
];

const commandSchema = { type: 'array', minItems: 1, items: { type: 'string' } };

export const agentSettings: Kind<readonly AgentSetting[]> = {
  placeholder: 'JSON',
  fromText: (label, text) => (text.trim() === '' ? [] : parseAgents(label, parseJson(label, text))),
  fromJson: parseAgents,
  toJson: (agents) => toJson(agents, (value) => value),
  // Whoever wrote a key here all the same does not want to see it in a bug report.
  toShown: (agents) => toJson(agents, (value) => (typeof value === 'string' ? '…' : value)),
  schema: {
    type: 'object',
    propertyNames: { pattern: namePattern },
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      properties: {
        command: commandSchema,
        login: commandSchema,
        title: { type: 'string' },
        env: {
          type: 'object',
          additionalProperties: {
            anyOf: [
              { type: 'string' },
              {
                type: 'object',
                additionalProperties: false,
                required: ['file'],
                properties: { file: path.schema },
              },
            ],
          },
        },
        cwd: path.schema,
        limits: agentLimits.schema,
        ...onceSchemas,
        sandboxed: { type: 'boolean' },
      },
    },
  },
  isObject: true,
};

function toJson(agents: readonly AgentSetting[], shown: (value: EnvValue) => EnvValue): Json {
  return Object.fromEntries(
    agents.map(({ name, command, login, title, env, cwd, limits, once, sandboxed }) => [
      name,
      {
        ...(command === undefined ? {} : { command }),
        ...(login === undefined ? {} : { login }),
        ...(title === undefined ? {} : { title }),
        ...(env === undefined ? {} : { env: mapValues(env, shown) }),
        ...(cwd === undefined ? {} : { cwd }),
        ...(limits === undefined ? {} : { limits: agentLimits.toJson(limits) }),
        ...onceJson(once),
        ...(sandboxed === undefined ? {} : { sandboxed }),
      },
    ]),
  );
}

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

function parseAgents(label: string, json: unknown): readonly AgentSetting[] {
  return Object.entries(objectOf(label, json)).map(([name, agent]) =>
    parseAgent(`${label}.${name}`, name, objectOf(`${label}.${name}`, agent)),
  );
}

function parseAgent(
  label: string,
  name: string,
  fields: Readonly<Record<string, unknown>>,
): AgentSetting {
  const { command, login, title, env, cwd, limits, kind, prompt, resume, sandboxed, ...others } =
    fields;
  if (!new RegExp(namePattern).test(name)) {
    throw usageError(
      `${label}: ${JSON.stringify(name)} is no name for an agent`,
      'A name has lower-case letters, digits and dashes, and begins with a letter.',
    );
  }
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw usageError(`there is no setting ${label}.${unknown}`, `There are: ${known.join(', ')}.`);
  }
  if (command === undefined) checkBuiltIn(label, name);
  else if (!isCommand(command)) {
    throw usageError(`${label}.command is not a program with its arguments`, shape);
  }
  if (login !== undefined && !isCommand(login)) {
    throw usageError(`${label}.login is not a program with its arguments`, shape);
  }
  if (title !== undefined && typeof title !== 'string') {
    throw usageError(`${label}.title is not a text`, shape);
  }
  if (sandboxed !== undefined && typeof sandboxed !== 'boolean') {
    throw usageError(`${label}.sandboxed is neither true nor false`);
  }
  const once = parseOnce(label, { kind, prompt, resume, hasCommand: command !== undefined });
  return {
    name,
    ...(command === undefined ? {} : { command }),
    ...(login === undefined ? {} : { login }),
    ...(title === undefined ? {} : { title }),
    ...(env === undefined ? {} : { env: parseEnv(`${label}.env`, env) }),
    ...(cwd === undefined ? {} : { cwd: path.fromJson(`${label}.cwd`, cwd) }),
    ...(limits === undefined ? {} : { limits: agentLimits.fromJson(`${label}.limits`, limits) }),
    ...(once === undefined ? {} : { once }),
    ...(sandboxed === undefined ? {} : { sandboxed }),
  };
}

/* Without a command it has to be one that is known. */
function checkBuiltIn(label: string, name: string): void {
  const names: readonly string[] = builtInNames;
  if (names.includes(name)) return;
  const nearest = suggestNearest(name, names);
  throw usageError(
    `${label} has no command, and no agent of this name is built in`,
    nearest === undefined ? shape : `Did you mean ${nearest}? Or give it a command. ${shape}`,
  );
}

function isCommand(command: unknown): command is Command {
  const isList = Array.isArray(command) && command.length > 0 && command[0] !== '';
  return isList && command.every((word) => typeof word === 'string' && !word.includes('\0'));
}

function parseEnv(label: string, env: unknown): Readonly<Record<string, EnvValue>> {
  return Object.fromEntries(
    Object.entries(objectOf(label, env)).map(([name, value]) => {
      if (name === '' || /[=\0]/.test(name)) {
        throw usageError(`${label}: ${JSON.stringify(name)} is no name of a variable`, envShape);
      }
      return [name, parseEnvValue(`${label}.${name}`, value)];
    }),
  );
}

function parseEnvValue(label: string, value: unknown): EnvValue {
  if (typeof value === 'string' && !value.includes('\0')) return value;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const { file, ...others } = (isObject ? value : {}) as Readonly<Record<string, unknown>>;
  if (file === undefined || Object.keys(others).length > 0) {
    throw usageError(`${label} is neither a text nor a file that has it`, envShape);
  }
  return { file: path.fromJson(`${label}.file`, file) };
}

export function objectOf(label: string, json: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isObject) throw usageError(`${label} is not a { … } object`, shape);
  return json as Readonly<Record<string, unknown>>;
}

function parseJson(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`${label} is no JSON`, shape);
  }
}
