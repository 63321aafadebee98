/*
 * The conversation of a session, on the session's socket: its events from a number on, and what its client says.
 *
 * The events are those of the thread, with the thread's own numbers, whichever wire they come by. A client that does not read gets
 * no more until it does; one that comes again says the last number that it has, and misses and repeats nothing.
 */
import type { EventRow } from '@clawdfather/agents';
import { createSignalBell } from '@clawdfather/kit';
import { api, type sessionClientMessageSchema } from '@clawdfather/protocol/api';
import type { z } from 'zod';
import type { CallerThreads } from '../agents/caller-threads.ts';
import { followThreadEvents } from '../agents/follow-thread-events.ts';
import { showEvent, showTurnOf } from '../agents/show-thread.ts';
import { ApiError } from '../http/api-error.ts';
import { checkAccess } from '../http/caller.ts';
import { newTrace } from '../observe/trace-context.ts';
import type { FaceOptions } from './face.ts';
import { statusOfEvent } from './status-of-event.ts';

type Message = z.infer<typeof sessionClientMessageSchema>;
export type ThreadMessage = Extract<Message, { type: 'message' | 'cancel' }>;

export interface SessionThread {
  /* Throws for what is refused. */
  handle(message: ThreadMessage): Promise<void>;
  drained(): void;
  close(): void;
}

export interface ThreadOfSession {
  readonly threadId: string;
  /* The number of the last event that the client has. */
  readonly after: number;
}

export function openSessionThread(
  options: FaceOptions,
  { threadId, after }: ThreadOfSession,
): SessionThread {
  const { context, caller, outbox } = options;
  const leaving = new AbortController();
  const drained = createSignalBell();
  const { signal } = leaving;
  let at = after;
  const send = (event: EventRow): Promise<void> | undefined => {
    const { seq } = event;
    if (seq > at + 1) outbox.send({ type: 'gap', from: at + 1, to: seq - 1 });
    at = seq;
    const status = statusOfEvent(event);
    outbox.send({
      type: 'event',
      seq,
      ...(status === undefined ? {} : { status }),
      event: showEvent(event),
    });
    return outbox.isFull ? drained.wait(signal) : undefined;
  };
  const { records } = threadsOfSocket(options);
  const { desk, clock, log } = context;
  followThreadEvents(
    { records, desk, clock },
    { place: { threadId, after }, sink: send },
    signal,
  ).catch((error: unknown) => {
    if (signal.aborted) return;
    // The client comes again with its last number, and misses nothing.
    log.warn('thread.stream-failed', { threadId, error });
    options.onBroken();
  });
  return {
    handle: async (message) => {
      checkAccess(caller, 'run');
      const mine = threadsOfSocket(options);
      if (message.type === 'message') await say(options, mine, { threadId, message });
      else await cancel(options, mine, { threadId, turnId: message.turn_id });
    },
    drained: () => drained.ring(),
    close: () => leaving.abort(new Error('the socket is closed')),
  };
}

function threadsOfSocket({ context, caller, address: ip }: FaceOptions): CallerThreads {
  const { traceId } = context.currentTrace() ?? newTrace(context.random);
  return context.threadsOf({ caller, ip, traceId });
}

async function say(
  { context, caller, address: ip, outbox }: FaceOptions,
  mine: CallerThreads,
  said: {
    readonly threadId: string;
    readonly message: Extract<ThreadMessage, { type: 'message' }>;
  },
): Promise<void> {
  const { threadId: id, message } = said;
  const { text, client_message_id: clientMessageId, load_class: loadClass } = message;
  await context.limitCall(api.threads.prompt, { caller, ip, id });
  const blocks = [{ type: 'text', text }];
  const turnId = await mine.prompt(id, { blocks, loadClass, clientMessageId });
  const turn = await showTurnOf(mine, turnId);
  outbox.send({ type: 'message_ack', client_message_id: clientMessageId, turn });
}

async function cancel(
  { outbox }: FaceOptions,
  mine: CallerThreads,
  { threadId, turnId }: { readonly threadId: string; readonly turnId: string | undefined },
): Promise<void> {
  const turns = await mine.records.turns(threadId);
  const open = turns.filter(({ status }) => status === 'running' || status === 'queued');
  const meant =
    turnId === undefined
      ? (open.find(({ status }) => status === 'running') ?? open[0])
      : turns.find(({ id }) => id === turnId);
  if (meant === undefined) throw new ApiError('not_found', 'there is no such turn to cancel');
  outbox.send({ type: 'cancel_ack', turn_id: meant.id, accepted: await mine.cancel(meant.id) });
}
