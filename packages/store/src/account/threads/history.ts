/*
 * Reading a thread back: the port of packages/agents.
 *
 * Events are found by their primary key, from its end. A payload that is a blob is not read for a list: its row has the beginning of it,
 * written together with it, and a blob's size is known without its text.
 */
import type { BriefEvent, EventType, JsonObject, ThreadHistory } from '@clawdfather/agents';
import { sql } from 'kysely';
import type { AccountContext } from '../../context.ts';
import type { JsonText } from '../../schema/json-text.ts';
import { toRecord } from '../../schema/record.ts';
import { createSelect } from '../../select.ts';

interface OfThread {
  readonly accountId: string;
  readonly threadId: string;
}

const eventColumns = [
  'turn_events.seq',
  'turn_events.turn_id',
  'turn_events.type',
  'turn_events.at_ms',
] as const;

export const selectEventsBefore = createSelect(
  (
    db,
    {
      accountId,
      threadId,
      before,
      limit,
    }: OfThread & { readonly before: number; readonly limit: number },
  ) =>
    db
      .selectFrom('turn_events')
      .leftJoin('blobs', (join) =>
        join
          .onRef('blobs.account_id', '=', 'turn_events.account_id')
          .onRef('blobs.hash', '=', 'turn_events.payload_hash'),
      )
      .select(eventColumns)
      .select(['turn_events.payload_json', 'turn_events.brief_json'])
      .select(sql<number | null>`octet_length(blobs.body)`.as('whole_bytes'))
      .where('turn_events.account_id', '=', accountId)
      .where('turn_events.thread_id', '=', threadId)
      .where('turn_events.seq', '<', before)
      .orderBy('turn_events.seq', 'desc')
      .limit(limit),
);

interface PieceWanted extends OfThread {
  readonly seq: number;
  /* From 1, as SQL counts. */
  readonly first: number;
  readonly limit: number;
}

const selectEventText = createSelect(
  (db, { accountId, threadId, seq, first, limit }: PieceWanted) => {
    const whole = sql<string>`coalesce(turn_events.payload_json, blobs.body)`;
    return db
      .selectFrom('turn_events')
      .leftJoin('blobs', (join) =>
        join
          .onRef('blobs.account_id', '=', 'turn_events.account_id')
          .onRef('blobs.hash', '=', 'turn_events.payload_hash'),
      )
      .select(eventColumns)
      .select([
        sql<number>`length(${whole})`.as('characters'),
        sql<string>`substr(${whole}, ${first}, ${limit})`.as('text'),
      ])
      .where('turn_events.account_id', '=', accountId)
      .where('turn_events.thread_id', '=', threadId)
      .where('turn_events.seq', '=', seq);
  },
);

const payloadBytes = sql<number>`octet_length(coalesce(turn_events.payload_json, blobs.body))`;

/** The size of a text is known without the text. */
export const selectSizes = createSelect(
  (
    db,
    {
      accountId,
      threadId,
      after,
      limit,
    }: OfThread & { readonly after: number; readonly limit: number },
  ) =>
    db
      .selectFrom('turn_events')
      .leftJoin('blobs', (join) =>
        join
          .onRef('blobs.account_id', '=', 'turn_events.account_id')
          .onRef('blobs.hash', '=', 'turn_events.payload_hash'),
      )
      .select('turn_events.seq')
      .select(payloadBytes.as('bytes'))
      .where('turn_events.account_id', '=', accountId)
      .where('turn_events.thread_id', '=', threadId)
      .where('turn_events.seq', '>', after)
      .orderBy('turn_events.seq')
      .limit(limit),
);

interface ToolsWanted extends OfThread {
  readonly turnId: string;
  readonly after: number;
  readonly limit: number;
  readonly bytesMax: number;
}

export const selectTools = createSelect(
  (db, { accountId, threadId, turnId, after, limit, bytesMax }: ToolsWanted) =>
    db
      .selectFrom('turn_events')
      .leftJoin('blobs', (join) =>
        join
          .onRef('blobs.account_id', '=', 'turn_events.account_id')
          .onRef('blobs.hash', '=', 'turn_events.payload_hash'),
      )
      .select(eventColumns)
      .select([
        sql<JsonText<JsonObject> | null>`CASE WHEN ${payloadBytes} <= ${bytesMax}
          THEN coalesce(turn_events.payload_json, blobs.body) END`.as('payload_json'),
        'turn_events.brief_json',
        sql<number | null>`CASE WHEN ${payloadBytes} > ${bytesMax}
          THEN ${payloadBytes} END`.as('whole_bytes'),
      ])
      .where('turn_events.account_id', '=', accountId)
      .where('turn_events.thread_id', '=', threadId)
      .where('turn_events.turn_id', '=', turnId)
      .where('turn_events.type', '=', sql.lit('tool'))
      .where('turn_events.seq', '>', after)
      .orderBy('turn_events.seq')
      .limit(limit),
);

export const selectLastTools = createSelect(
  (
    db,
    {
      accountId,
      threadId,
      turnId,
      limit,
    }: OfThread & { readonly turnId: string; readonly limit: number },
  ) =>
    db
      .selectFrom('turn_events')
      .select(eventColumns)
      .select(['turn_events.payload_json', 'turn_events.brief_json'])
      .where('turn_events.account_id', '=', accountId)
      .where('turn_events.thread_id', '=', threadId)
      .where('turn_events.turn_id', '=', turnId)
      .where('turn_events.type', '=', sql.lit('tool'))
      .orderBy('turn_events.seq', 'desc')
      .limit(limit),
);

export function createHistory({ runner, accountId }: AccountContext): ThreadHistory {
  return {
    before: async (threadId, { before, limit }) => {
      const rows = await runner.select(selectEventsBefore, { accountId, threadId, before, limit });
      return rows.map(briefOf);
    },
    sizes: (threadId, range) => runner.select(selectSizes, { accountId, threadId, ...range }),
    tools: async (threadId, range) =>
      (await runner.select(selectTools, { accountId, threadId, ...range })).map(briefOf),
    lastTools: async (threadId, range) => {
      const rows = await runner.select(selectLastTools, { accountId, threadId, ...range });
      return rows.map((row) => briefOf({ ...row, whole_bytes: null }));
    },
    eventText: async (threadId, { seq, offset, limit }) => {
      const wanted = { accountId, threadId, seq, first: offset + 1, limit };
      const [row] = await runner.select(selectEventText, wanted);
      return row === undefined ? undefined : toRecord(row);
    },
  };
}

interface BriefRow {
  readonly seq: number;
  readonly turn_id: string | null;
  readonly type: EventType;
  readonly at_ms: number;
  readonly payload_json: JsonText<JsonObject> | null;
  readonly brief_json: JsonText<JsonObject> | null;
  readonly whole_bytes: number | null;
}

/** The payload if it is here, else what is kept of it beside the blob. */
function briefOf(row: BriefRow): BriefEvent {
  const { payload, brief = {}, ...event } = toRecord(row);
  return { ...event, payload: payload ?? brief };
}
