/*
 * A turn over server-sent events: its updates as they come, then the answer to the call, which is the turn as it ended. Each update has its number
 * as id. A reader that was cut off sends its call again, with its key and the number, and goes on exactly there.
 */
import type { EventRow } from '@clawdfather/agents';
import { type AccountId, createSignalBell, type Log } from '@clawdfather/kit';
import { type RpcAnswer, updateMethod } from '@clawdfather/protocol/acp';
import { followThreadEvents } from '../agents/follow-thread-events.ts';
import type { EventStream } from '../runs/event-stream.ts';
import type { Following, RpcDeps } from './rpc-call.ts';
import type { CallerThreads } from '../agents/caller-threads.ts';
import { sinkWithPlaces } from './place-in-update.ts';
import { endOf, showUpdate } from './show-update.ts';

export interface TurnStream {
  readonly follow: Following;
  readonly mine: CallerThreads;
  readonly accountId: AccountId;
  readonly isOlder: boolean;
  readonly stream: EventStream;
  /* Read when the turn has ended. */
  readonly lastAnswer: () => Promise<RpcAnswer>;
}

/* Resolves when everything was sent, or the reader is gone. */
export async function streamTurn(
  deps: RpcDeps & { readonly log: Log },
  turn: TurnStream,
): Promise<void> {
  const { follow, mine, stream, lastAnswer } = turn;
  const { threadId } = follow;
  try {
    const span = await spanOf(mine, follow);
    if (span.after < span.until) await sendUpdates(deps, turn, span);
    stream.send(formatMessage(await lastAnswer()));
    stream.end();
  } catch (error) {
    // The reader is gone or was too slow; it comes back with its last id.
    if (!stream.signal.aborted) deps.log.warn('rpc.stream-failed', { threadId, error });
    stream.drop();
  }
}

interface Span {
  readonly after: number;
  /* Infinite while the turn goes on: its end is an event that is still to come. */
  readonly until: number;
}

/* A number that the thread has not reached yet counts as the newest. */
async function spanOf({ records }: CallerThreads, follow: Following): Promise<Span> {
  const before = (await records.get(follow.threadId))?.lastSeq ?? 0;
  // After that: if it has not ended now, its end comes after the number that was read.
  const turn = await records.turn(follow.turnId);
  if (turn?.endedAtMs === undefined) {
    return { after: Math.min(follow.after, before), until: Number.POSITIVE_INFINITY };
  }
  return { after: follow.after, until: (await records.get(follow.threadId))?.lastSeq ?? 0 };
}

async function sendUpdates(
  { agentThreads: { desk, threads }, clock }: RpcDeps,
  { follow, mine: { records }, accountId, isOlder, stream }: TurnStream,
  { after, until }: Span,
): Promise<void> {
  const { threadId, turnId } = follow;
  const done = new AbortController();
  const drained = createSignalBell();
  stream.onDrained(() => drained.ring());
  const places = { queue: threads.queue, accountId, signal: stream.signal };
  const send = sinkWithPlaces(places, (event, place) => {
    const params = showUpdate(threadId, event, { isOlder, place });
    const isRoom = stream.send(formatMessage({ method: updateMethod, params }, event.seq));
    return isRoom ? undefined : drained.wait(stream.signal);
  });
  const sink = (event: EventRow): Promise<void> | undefined => {
    if (event.seq >= until) done.abort();
    if (event.turnId !== turnId) return undefined;
    if (endOf(event) !== undefined) done.abort();
    return send(event);
  };
  const signal = AbortSignal.any([done.signal, stream.signal]);
  const place = { threadId, after };
  await followThreadEvents({ records, desk, clock }, { place, sink }, signal).catch(
    (error: unknown) => {
      if (stream.signal.aborted || !done.signal.aborted) throw error;
    },
  );
}

/* The answer itself has no number: it is no event. */
export function formatMessage(message: object, seq?: number): string {
  const id = seq === undefined ? '' : `id: ${seq}\n`;
  return `${id}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}
