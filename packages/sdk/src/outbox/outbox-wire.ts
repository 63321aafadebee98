/*
 * How the rows of an outbox get to the gateway: by calls that carry the row's key, so that each has its effect once.
 */
import type { Client } from '../client.ts';
import { RefusedError } from '../errors.ts';
import { isWorthRetrying } from '../is-worth-retrying.ts';
import type { OutboxItem } from './outbox-store.ts';

/* What became of one attempt. */
export type Attempt =
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'deferred'; readonly code: string; readonly message: string }
  | { readonly kind: 'unanswered' };

type ItemOf<Kind extends OutboxItem['kind']> = Extract<OutboxItem, { kind: Kind }>;

/* Rejects only where it is not about this row, such as for a token that is no longer good. */
export interface OutboxWire {
  createThread(key: string, item: ItemOf<'thread'>): Promise<Attempt>;
  prompt(key: string, threadId: string, item: ItemOf<'message'>): Promise<Attempt>;
  cancel(turnId: string): Promise<Attempt>;
}

export function createOutboxWire(client: Client): OutboxWire {
  return {
    createThread: (key, { agent, connectionId, directory, title, chosen }) =>
      attempt(async () => {
        const body = {
          ...(agent === undefined ? {} : { agent }),
          ...(connectionId === undefined ? {} : { connection_id: connectionId }),
          ...(directory === undefined ? {} : { directory }),
          ...(title === undefined ? {} : { title }),
          ...(chosen === undefined ? {} : { chosen }),
        };
        const { thread } = await client.threads.create({ body }, { idempotencyKey: key });
        return thread.id;
      }),
    prompt: (key, id, { text, attachments = [], loadClass }) =>
      attempt(async () => {
        const body = {
          text,
          client_message_id: key,
          ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
          ...(loadClass === undefined ? {} : { load_class: loadClass }),
        };
        return (await client.threads.prompt({ params: { id }, body })).turn.id;
      }),
    cancel: (id) => attempt(async () => (await client.turns.cancel({ params: { id } })).turn.id),
  };
}

async function attempt(call: () => Promise<string>): Promise<Attempt> {
  try {
    return { kind: 'accepted', id: await call() };
  } catch (error) {
    if (!(error instanceof RefusedError)) {
      // An answer that is none is no proof of anything.
      return { kind: 'unanswered' };
    }
    const { code } = error.refusal;
    if (code === 'unauthorized') throw error;
    const kind = isWorthRetrying(error) ? 'deferred' : 'refused';
    return { kind, code, message: error.message };
  }
}
