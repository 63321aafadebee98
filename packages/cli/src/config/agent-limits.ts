/*
 * What an agent's process may use: `agents.NAME.limits`. The words are those of the flags of `clf run`, without `limit-`; `time` is how
 * long the process may live.
 */
import * as texts from '../args/kinds.ts';
import { usageError } from '../errors.ts';
import { bytes, duration, integer, type Kind } from './kinds.ts';

export interface AgentLimits {
  readonly memory?: number;
  readonly processes?: number;
  /* Of one process, in whole seconds. */
  readonly cpu?: number;
  readonly openFiles?: number;
  readonly fileSize?: number;
  readonly timeMs?: number;
}

type Name = 'memory' | 'processes' | 'cpu' | 'openFiles' | 'fileSize' | 'time';

interface OneLimit {
  readonly field: keyof AgentLimits;
  readonly kind: Pick<Kind<number>, 'fromText' | 'toJson' | 'schema'>;
}

const whole = integer({ min: 1, max: 2 ** 31 - 1 });
const size = { ...bytes, ...texts.someBytes };
const seconds = {
  ...duration,
  ...texts.wholeSeconds,
  toJson: (value: number) => duration.toJson(value * 1_000),
};

const table: Readonly<Record<Name, OneLimit>> = {
  memory: { field: 'memory', kind: size },
  processes: { field: 'processes', kind: whole },
  cpu: { field: 'cpu', kind: seconds },
  openFiles: { field: 'openFiles', kind: whole },
  fileSize: { field: 'fileSize', kind: size },
  time: { field: 'timeMs', kind: duration },
};
const names = Object.keys(table) as readonly Name[];

const shape = 'Write it as {"memory": "4G", "cpu": "1h"}.';

export const agentLimits: Pick<Kind<AgentLimits>, 'fromJson' | 'toJson' | 'schema'> = {
  fromJson: (label, json) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw usageError(`${label} is not a { … } object`, shape);
    }
    return Object.fromEntries(
      Object.entries(json as Readonly<Record<string, unknown>>).map(([name, value]) =>
        parseLimit(label, name, value),
      ),
    );
  },
  toJson: (limits) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const { field, kind } = table[name];
        const value = limits[field];
        return value === undefined ? [] : [[name, kind.toJson(value)]];
      }),
    ),
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, table[name].kind.schema])),
  },
};

function parseLimit(label: string, name: string, value: unknown): readonly [string, number] {
  const one = Object.hasOwn(table, name) ? table[name as Name] : undefined;
  if (one === undefined) {
    throw usageError(`there is no setting ${label}.${name}`, `There are: ${names.join(', ')}.`);
  }
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw usageError(`${label}.${name} is not a number or a text: ${JSON.stringify(value)}`, shape);
  }
  const parsed = one.kind.fromText(`${label}.${name}`, String(value));
  if (parsed === 0) throw usageError(`${label}.${name} is 0`, 'Leave it out for no limit.');
  return [one.field, parsed];
}
