/*
 * The kind of the setting `queue.agents`: lanes of single agents that differ from the usual one.
 *
 * `{"NAME": {"active": 2, "waiting": 10, "wait": "5m"}}`; in a variable the same as JSON.
 */
import { usageError } from '../errors.ts';
import { durationWithin, integer, type Kind } from './kinds.ts';

export interface AgentLane {
  readonly activeMax?: number;
  readonly waitingMax?: number;
  readonly waitMsMax?: number;
}

export type AgentLanes = Readonly<Record<string, AgentLane>>;

const shape = 'Write it as {"NAME": {"active": 2, "waiting": 10, "wait": "5m"}}.';
const namePattern = '^[a-z][a-z0-9-]{0,31}$';
const turns = integer({ min: 1, max: 100_000 });
const wait = durationWithin({ min: 1_000, max: 7 * 24 * 3_600_000 });

export const agentLanes: Kind<AgentLanes> = {
  placeholder: 'JSON',
  fromText: (label, text) => parseLanes(label, parseJson(label, text)),
  fromJson: parseLanes,
  toJson: (lanes) =>
    Object.fromEntries(
      Object.entries(lanes).map(([name, { activeMax, waitingMax, waitMsMax }]) => [
        name,
        {
          ...(activeMax === undefined ? {} : { active: activeMax }),
          ...(waitingMax === undefined ? {} : { waiting: waitingMax }),
          ...(waitMsMax === undefined ? {} : { wait: wait.toJson(waitMsMax) }),
        },
      ]),
    ),
  schema: {
    type: 'object',
    propertyNames: { pattern: namePattern },
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      properties: { active: turns.schema, waiting: turns.schema, wait: wait.schema },
    },
  },
  isObject: true,
};

function parseLanes(label: string, json: unknown): AgentLanes {
  const lanes = fieldsOf(label, json);
  return Object.fromEntries(
    Object.entries(lanes).map(([name, lane]) => {
      if (!new RegExp(namePattern).test(name)) {
        throw usageError(`${label}.${name} is no name of an agent`, shape);
      }
      return [name, parseLane(`${label}.${name}`, lane)];
    }),
  );
}

function parseLane(label: string, json: unknown): AgentLane {
  const { active, waiting, wait: longest, ...others } = fieldsOf(label, json);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw usageError(`there is no setting ${label}.${unknown}`, shape);
  return {
    ...(active === undefined ? {} : { activeMax: turns.fromJson(`${label}.active`, active) }),
    ...(waiting === undefined ? {} : { waitingMax: turns.fromJson(`${label}.waiting`, waiting) }),
    ...(longest === undefined ? {} : { waitMsMax: wait.fromJson(`${label}.wait`, longest) }),
  };
}

function fieldsOf(label: string, json: unknown): Readonly<Record<string, unknown>> {
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
