/*
 * Everything a run says, from a cursor on, until it has ended; over as many connections as it takes.
 */
import { api, type RunEvent, type RunEventName, runEventSchemas } from '@clawdfather/protocol/api';
import type { Client } from './client.ts';
import { SdkError } from './errors.ts';
import { followEvents, type FollowOptions } from './follow-events.ts';

export interface RunToFollow {
  readonly client: Client;
  readonly runId: string;
  /* Absent: from the beginning. */
  readonly cursor?: string;
}

export async function* followRun(
  { client, runId, cursor }: RunToFollow,
  options: FollowOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  const input = {
    endpoint: api.runs.output,
    params: { id: runId },
    lastEvents: ['exit'],
    ...(cursor === undefined ? {} : { lastId: cursor }),
  };
  for await (const { id, name, data } of followEvents(client.connection, input, options)) {
    // A newer gateway may send more than this client knows.
    if (isRunEvent(name)) yield parseRunEvent(name, id ?? '', data);
  }
}

function isRunEvent(name: string): name is RunEventName {
  return Object.hasOwn(runEventSchemas, name);
}

function parseRunEvent(name: RunEventName, cursor: string, data: string): RunEvent {
  try {
    // The name chose the schema, which TypeScript cannot follow through a table.
    return { name, cursor, data: runEventSchemas[name].parse(JSON.parse(data)) } as RunEvent;
  } catch (cause) {
    throw new SdkError('answer-invalid', `an event "${name}" that is not as documented`, { cause });
  }
}
