/*
 * What happens in an account, over HTTP: a page, a long poll, or a stream.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { AccountEvent, AccountEvents, AccountId, EventsHead, Store } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { formatTime } from '../http/format-time.ts';
import type { Call, Handlers } from '../http/handlers.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import { type NumberedRows, waitForNumber } from '../live/follow-numbered.ts';
import { streamNumbered } from '../live/stream-numbered.ts';
import { formatEvent } from '../runs/event-stream.ts';

export interface EventsParts {
  readonly store: Store;
  readonly streams: OpenStreams;
  readonly clock: Clock;
  readonly log: Log;
}

type Answer = AnswerOf<Api['events']['list']>;
type Gap = NonNullable<Answer['gap']>;

export function createEventsHandlers(parts: EventsParts): Handlers<Api['events']> {
  return { list: (call) => list(parts, call) };
}

export function createSeenHandlers({ store }: EventsParts): Handlers<Api['seen']> {
  return {
    mark: async ({ caller, params, body }) => {
      const seen = await store.forAccount(caller.accountId).seen.mark(params.id, body.seq);
      if (seen === undefined) throw notFound();
      return { seen_seq: seen };
    },
  };
}

async function list(parts: EventsParts, call: Call<Api['events']['list']>): Promise<Answer> {
  const { caller, query } = call;
  const { events } = parts.store.forAccount(caller.accountId);
  const isStream = call.header('accept')?.includes('text/event-stream') === true;
  const asked = isStream ? call.header('last-event-id') || query.after : query.after;
  const head = await events.head();
  const wanted = asked === 'now' ? head.seq : Number(asked);
  if (!Number.isSafeInteger(wanted) || wanted < 0) {
    throw new ApiError('validation_error', 'Last-Event-ID is the number of an event');
  }
  const gap = gapAfter(wanted, head);
  const after = gap === undefined ? wanted : gap.to;
  const rows = rowsOf(parts, caller.accountId, events);
  call.leaveTurn();
  if (isStream) {
    await streamNumbered(parts, {
      rows,
      after,
      first: gap && formatGap(gap),
      format: formatRow,
      reply: call.reply,
      onOpen: (drop) => parts.streams.add(caller, drop),
      onFailed: (error) => parts.log.warn('events.stream-failed', { error }),
    });
    // Sent by itself; the type cannot know that nothing is looked at any more.
    return undefined as never;
  }
  const { limit, wait_ms: waitMs } = query;
  if (waitMs > 0 && gap === undefined) {
    await parts.streams.whileOpen(caller, () =>
      waitForNumber({ rows, clock: parts.clock }, { after, waitMs }, call.signal),
    );
  }
  const items = await events.list({ after, limit });
  // Read last, so that it is never below what the items show.
  const { seq: lastSeq } = await events.head();
  return { items: items.map(showAccountEvent), last_seq: lastSeq, gap: gap ?? null };
}

function rowsOf(
  { store }: EventsParts,
  accountId: AccountId,
  events: AccountEvents,
): NumberedRows<AccountEvent> {
  return {
    read: (after, limit) => events.list({ after, limit }),
    follow: (listener) => store.news.follow(accountId, () => listener([])),
  };
}

/* `to` is where it goes on. */
function gapAfter(after: number, { seq, keptFromSeq }: EventsHead): Gap | undefined {
  if (after > seq) return { from: seq + 1, to: seq, reason: 'ahead' };
  if (after + 1 >= keptFromSeq) return undefined;
  return { from: after + 1, to: keptFromSeq - 1, reason: 'trimmed' };
}

function formatGap(gap: Gap): string {
  return formatEvent({ event: 'gap', id: String(gap.to), data: gap });
}

/* What was removed while its reader was slow is said, too. */
function formatRow(event: AccountEvent, at: number): string {
  const { seq, type } = event;
  const gap = seq === at + 1 ? '' : formatGap({ from: at + 1, to: seq - 1, reason: 'trimmed' });
  return gap + formatEvent({ event: type, id: String(seq), data: showAccountEvent(event) });
}

export function showAccountEvent(event: AccountEvent): Answer['items'][number] {
  return {
    seq: event.seq,
    type: event.type,
    thread_id: event.threadId ?? null,
    subject_id: event.subjectId,
    payload: event.payload,
    at: formatTime(event.atMs),
  };
}
