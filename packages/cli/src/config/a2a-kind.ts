/*
 * The kind of the setting `agents.a2a`: which agents may have to do with sessions of which others.
 *
 * `{"enabled": true, "allow": [["FROM", "TO"]]}`; in a variable the same as JSON.
 */
import { usageError } from '../errors.ts';
import type { Kind } from './kinds.ts';

export interface A2aSetting {
  readonly isEnabled: boolean;
  readonly allow: readonly (readonly [from: string, to: string])[];
}

const shape = 'Write it as {"enabled": true, "allow": [["FROM", "TO"]]}.';
const namePattern = '^([a-z][a-z0-9-]{0,31}|\\*)$';

export const a2aSetting: Kind<A2aSetting> = {
  placeholder: 'JSON',
  fromText: (label, text) => parseA2a(label, parseJson(label, text)),
  fromJson: parseA2a,
  toJson: ({ isEnabled, allow }) => ({ enabled: isEnabled, allow }),
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      enabled: { type: 'boolean' },
      allow: {
        type: 'array',
        items: {
          type: 'array',
          minItems: 2,
          maxItems: 2,
          items: { type: 'string', pattern: namePattern },
        },
      },
    },
  },
  isObject: true,
};

function parseA2a(label: string, json: unknown): A2aSetting {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isObject) throw usageError(`${label} is not a { … } object`, shape);
  const { enabled = false, allow = [], ...others } = json as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw usageError(`there is no setting ${label}.${unknown}`, shape);
  if (typeof enabled !== 'boolean') {
    throw usageError(`${label}.enabled is neither true nor false`, shape);
  }
  if (!Array.isArray(allow) || !allow.every(isPair)) {
    throw usageError(`${label}.allow is no list of pairs of agents`, shape);
  }
  return { isEnabled: enabled, allow };
}

function isPair(pair: unknown): pair is readonly [string, string] {
  const isName = (name: unknown): boolean =>
    typeof name === 'string' && new RegExp(namePattern).test(name);
  return Array.isArray(pair) && pair.length === 2 && pair.every(isName);
}

function parseJson(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`${label} is no JSON`, shape);
  }
}
