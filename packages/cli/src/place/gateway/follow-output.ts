/*
 * A run's output from a gateway, as the supervisor's own events, so that everything that shows output here shows that as well.
 *
 * After a lost connection, also at another gateway, it goes on where it stopped (sdk). It ends when the run has ended.
 */
import type { RunEvent } from '@clawdfather/protocol/api';
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';
import { type Client, followRun, type FollowOptions } from '@clawdfather/sdk';

export interface FollowRequest {
  readonly client: Client;
  readonly runId: string;
  readonly since: string | undefined;
}

/* Everything, until the run has ended. */
export async function* followOutput(
  { client, runId, since }: FollowRequest,
  options: FollowOptions,
): AsyncGenerator<OutputEvent, void, undefined> {
  const run = { client, runId, ...(since === undefined ? {} : { cursor: since }) };
  for await (const event of followRun(run, options)) {
    if (event.name !== 'exit') yield outputEventOf(event);
  }
}

/* A page of the output tells how much there is; 1 MiB is the most that one holds. */
const pageBytesMax = 1_048_576;

/*
 * What it has said so far, and not what it says from now on. A stream does not tell when it has caught up; pages do, but
 * do not keep the two streams apart. So pages count the bytes, and the stream brings them. What pages tell of damage and the
 * stream has not come to is told at the end.
 */
export async function* outputSoFar(
  request: FollowRequest,
  options: FollowOptions,
): AsyncGenerator<OutputEvent, void, undefined> {
  const { client, runId } = request;
  let cursor = request.since;
  let awaited = 0;
  let isEnd = false;
  let damagedBytes = 0;
  let isTailLost = false;
  const lookAhead = async (): Promise<void> => {
    while (awaited <= 0 && !isEnd) {
      const query = {
        limit: pageBytesMax,
        encoding: 'base64',
        ...(cursor === undefined ? {} : { cursor }),
      } as const;
      const page = await client.runs.output({ params: { id: runId }, query });
      cursor = page.cursor;
      awaited += Buffer.byteLength(page.text, 'base64');
      isEnd = page.isEnd;
      damagedBytes += page.damagedBytes;
      isTailLost = page.isTailLost;
    }
  };
  await lookAhead();
  if (awaited > 0) {
    for await (const event of followOutput(request, options)) {
      yield event;
      if (event.kind === 'output') awaited -= event.bytes.length;
      if (event.kind === 'damaged') damagedBytes -= event.missedBytes;
      if (event.kind === 'tail-lost') return;
      await lookAhead();
      if (awaited <= 0) break;
    }
  }
  const end = (cursor ?? '0.0') as Cursor;
  const missedBytes = Math.max(0, damagedBytes);
  if (isTailLost) yield { kind: 'tail-lost', missedBytes, cursor: end };
  else if (missedBytes > 0) yield { kind: 'damaged', missedBytes, cursor: end };
}

function outputEventOf(event: Exclude<RunEvent, { readonly name: 'exit' }>): OutputEvent {
  // What a gateway hands out as a cursor is one of its supervisor's.
  const cursor = event.cursor as Cursor;
  switch (event.name) {
    case 'output': {
      const { stream, at, data } = event.data;
      const bytes = Buffer.from(data, 'base64');
      return { kind: 'output', stream, bytes, atMs: Date.parse(at), cursor };
    }
    case 'gap':
      return { kind: 'gap', missedBytes: event.data.missedBytes, cursor };
    case 'damaged':
    case 'tail-lost':
      return { kind: event.name, missedBytes: event.data.missedBytes, cursor };
    case 'resize':
      return { kind: 'resize', cols: event.data.cols, rows: event.data.rows, cursor };
  }
}
