/*
 * A conversation with the echoing agent of test gateways, over the API.
 */
import assert from 'node:assert/strict';
import type { ApiCaller } from '../fixtures/api-caller.ts';

export interface SeenEvent {
  readonly seq: number;
  readonly turn_id: string | null;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/* `me` is asked anew for every call: another gateway may have come in the place of the one before. */
export function createTalk(me: () => ApiCaller) {
  const events: SeenEvent[] = [];
  let threadId = '';
  const readOn = async (waitMs: number): Promise<void> => {
    const after = events.at(-1)?.seq ?? 0;
    const path = `threads/${threadId}/events?after=${after}&limit=500&wait_ms=${waitMs}`;
    const { status, body } = await me().get(path);
    assert.equal(status, 200, JSON.stringify(body));
    events.push(...(body['items'] as SeenEvent[]));
  };
  return {
    events,
    id: () => threadId,
    takeUp: (id: string): void => {
      threadId = id;
    },
    begin: async (body: object = {}): Promise<void> => {
      const answer = await me().post('threads', { agent: 'echo', ...body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      threadId = answer.body['thread'].id;
    },
    say: async (text: string, more: object = {}): Promise<string> => {
      const { status, body } = await me().post(`threads/${threadId}/turns`, { text, ...more });
      assert.equal(status, 202, JSON.stringify(body));
      return body['turn'].id;
    },
    /* The first event that fits, also one that was seen before. */
    until: async (isIt: (event: SeenEvent) => boolean): Promise<SeenEvent> => {
      for (;;) {
        const found = events.find(isIt);
        if (found !== undefined) return found;
        await readOn(20_000);
      }
    },
    textOf: (turnId: string): string =>
      events
        .filter(({ type, turn_id: turn }) => type === 'delta' && turn === turnId)
        .map(({ payload: { text } }) => (typeof text === 'string' ? text : ''))
        .join(''),
  };
}

export const ends: readonly unknown[] = ['completed', 'failed', 'cancelled', 'interrupted'];

export function isEndOf(turnId: string): (event: SeenEvent) => boolean {
  return ({ type, turn_id: turn, payload }) =>
    type === 'status' && turn === turnId && ends.includes(payload['event']);
}
