/*
 * The kind of the setting `agents`: programs that speak ACP, by the names that people call them.
 *
 * In the file `{"agents": {"NAME": {"command": ["PROGRAM", "ARG"], "env": {"NAME": "VALUE"}}}}`; in a variable the same as JSON.
 */
import { usageError } from '../errors.ts';
import type { Kind } from './kinds.ts';

export interface AgentSetting {
  readonly name: string;
  readonly title?: string | undefined;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const shape = 'Write it as {"NAME": {"command": ["PROGRAM", "ARG", …]}}.';
const namePattern = '^[a-z][a-z0-9-]{0,31}$';
const known = ['command', 'title', 'env'];

export const agentSettings: Kind<readonly AgentSetting[]> = {
  placeholder: 'JSON',
  fromText: (label, text) => (text.trim() === '' ? [] : parseAgents(label, parseJson(label, text))),
  fromJson: parseAgents,
  toJson: (agents) =>
    Object.fromEntries(
      agents.map(({ name, command, title, env }) => [
        name,
        {
          command,
          ...(title === undefined ? {} : { title }),
          ...(env === undefined ? {} : { env }),
        },
      ]),
    ),
  schema: {
    type: 'object',
    propertyNames: { pattern: namePattern },
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      required: ['command'],
      properties: {
        command: { type: 'array', minItems: 1, items: { type: 'string' } },
        title: { type: 'string' },
        env: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
  isObject: true,
};

function parseAgents(label: string, json: unknown): readonly AgentSetting[] {
  return Object.entries(objectOf(label, json)).map(([name, agent]) =>
    parseAgent(`${label}.${name}`, name, objectOf(`${label}.${name}`, agent)),
  );
}

function parseAgent(
  label: string,
  name: string,
  { command, title, env, ...others }: Readonly<Record<string, unknown>>,
): AgentSetting {
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
  if (!isCommand(command)) {
    throw usageError(`${label}.command is not a program with its arguments`, shape);
  }
  if (title !== undefined && typeof title !== 'string') {
    throw usageError(`${label}.title is not a text`, shape);
  }
  return {
    name,
    command,
    ...(title === undefined ? {} : { title }),
    ...(env === undefined ? {} : { env: parseEnv(`${label}.env`, env) }),
  };
}

function isCommand(command: unknown): command is readonly [string, ...string[]] {
  const isList = Array.isArray(command) && command.length > 0 && command[0] !== '';
  return isList && command.every((word) => typeof word === 'string' && !word.includes('\0'));
}

function parseEnv(label: string, env: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(label, env));
  const wrong = entries.find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) throw usageError(`${label}.${wrong[0]} is not a text`, shape);
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

function objectOf(label: string, json: unknown): Readonly<Record<string, unknown>> {
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
