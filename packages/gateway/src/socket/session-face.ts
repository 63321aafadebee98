/*
 * `/ws/sessions/:id`: a session's events by number, its messages, and the runs that its client wants to see.
 */
import { sessionClientMessageSchema, socketCloseCodes } from '@clawdfather/protocol/api';
import { ApiError, notFound } from '../http/api-error.ts';
import { showSession } from '../sessions/show-session.ts';
import { handleCommon } from './common-messages.ts';
import { EventPump } from './event-pump.ts';
import type { Face, FaceOptions } from './face.ts';
import type { TurnOutcome } from './session-turns.ts';
import type { SessionLook, WatchedSession } from './session-watch.ts';
import { Terminals } from './terminals.ts';
import { toRefusal } from './to-refusal.ts';
import { checkAccess } from '../http/caller.ts';

/* Throws `not_found` for what is missing and for what is another's. */
export async function openSessionFace(options: FaceOptions): Promise<Face> {
  const { context, id, caller, auth, outbox, onInput } = options;
  const { hub, sharedRuns, findRun, sessions, store } = context;
  const account = store.forAccount(caller.accountId);
  const following: { pump?: EventPump } = {};
  const watched = await context.sessionWatch.watch(caller.accountId, id, (look) =>
    following.pump?.changed(look),
  );
  if (watched === undefined) throw notFound();
  const pump = new EventPump({
    account,
    outbox,
    threadId: auth.thread_id,
    resumeFrom: auth.resume_from,
    look: watched.look,
    onClosed: (look) => sayClosed(options, look),
    onFailed: (error) => {
      const { code, message } = toRefusal(error);
      outbox.send({ type: 'error', code, message });
      outbox.close(socketCloseCodes.internal, 'the events cannot be read');
    },
  });
  following.pump = pump;
  await saySession(options, watched, pump);
  sessions.seen(caller.accountId, id);
  pump.pump();
  const terminals = new Terminals({
    caller,
    outbox,
    hub,
    sharedRuns,
    findRun,
    ownRunId: undefined,
    onInput,
    onRunEnded: () => {},
    onRunLost: () => {},
  });
  return {
    handle: async (message) => {
      // Whatever it is, it names the session: somebody wants it.
      sessions.seen(caller.accountId, id);
      await handleSession(options, terminals, message);
    },
    drained: () => {
      pump.pump();
      terminals.drained();
    },
    close: () => {
      pump.close();
      watched.close();
      terminals.close();
    },
  };
}

async function handleSession(
  options: FaceOptions,
  terminals: Terminals,
  json: unknown,
): Promise<void> {
  const message = sessionClientMessageSchema.parse(json);
  if (message.type !== 'message' && message.type !== 'cancel') {
    await handleCommon(options, terminals, message);
    return;
  }
  const { context, caller, id } = options;
  checkAccess(caller, 'run');
  const session = { accountId: caller.accountId, sessionId: id };
  accept(
    message.type === 'cancel'
      ? await context.turns.cancel(session)
      : await context.turns.message(session, {
          text: message.text,
          clientMessageId: message.client_message_id,
        }),
  );
}

function accept(turn: TurnOutcome): void {
  if (turn.outcome === 'refused') throw new ApiError(turn.code, turn.message);
}

async function saySession(
  { context, caller, outbox }: FaceOptions,
  { look }: WatchedSession,
  pump: EventPump,
): Promise<void> {
  const { session } = look;
  const { connections } = context.store.forAccount(caller.accountId);
  const connection =
    session.connectionId === undefined ? undefined : await connections.get(session.connectionId);
  outbox.send({
    type: 'session',
    session: showSession(session, connection),
    thread_id: pump.threadId ?? null,
    last_seq: pump.lastSeq,
  });
}

function sayClosed({ outbox }: FaceOptions, { session }: SessionLook): void {
  outbox.send({
    type: 'session_closed',
    reason: session.closeReason ?? 'error',
    message: session.errorMessage ?? 'the session is closed',
  });
  outbox.close(socketCloseCodes.ended, 'the session is closed');
}
