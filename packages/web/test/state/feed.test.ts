/*
 * The stream of the account after a restart of the gateway, against one whose answers get lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { createClient, type Fetch } from '@clawdfather/sdk';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { openConnection } from '../../src/state/connection.ts';
import { openFeed } from '../../src/state/feed.ts';
import type { Standing } from '../../src/state/membership.ts';

type Question = 'answered' | 'lost' | 'silent';

/* Streams that stay open and say nothing; questions end as the test says, in order, and are answered after that. */
function openRig(fates: Question[]) {
  const clock = createFakeClock();
  const questions: Question[] = [];
  const fetch: Fetch = async (_url, { headers, signal: ending }) => {
    if (new Headers(headers).get('accept') === 'text/event-stream') {
      const body = new ReadableStream({
        start: (stream) => ending?.addEventListener('abort', () => stream.error(ending.reason)),
      });
      return new Response(body);
    }
    const fate = fates.shift() ?? 'answered';
    questions.push(fate);
    if (fate === 'lost') throw new TypeError('lost');
    if (fate === 'answered') return Response.json(nothingNew);
    return new Promise((_resolve, reject) => {
      ending?.addEventListener('abort', () => reject(ending.reason as Error));
    });
  };
  const client = createClient({ baseUrl: 'http://gateway.test', fetch });
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' as const });
  const page = { window, document, navigator: { onLine: true } };
  const connection = openConnection({ clock, gateway: client.gateway, page, appVersion: '0.1.0' });
  const membership = { standing: signal<Standing>(member), ask: async () => true };
  const random = createSeededRandom(1);
  const feed = openFeed({ client, clock, random, membership, connection });
  return { clock, connection, feed, questions };
}

const nothingNew = { items: [], last_seq: 7, gap: null };
const member = { kind: 'in', account: { id: 'a' } } as unknown as Standing;

test('a restart is caught up with although the question for the newest event was lost', async () => {
  const { clock, connection, feed, questions } = openRig(['silent', 'answered', 'lost', 'lost']);
  // Told of: it took longer than four seconds.
  await clock.advance(5_000);
  connection.note({ kind: 'restarted', from: 1, to: 2 });
  connection.retryNow();
  await clock.advance(100);
  assert.equal(connection.state.value.link.kind, 'catching-up');
  await clock.advance(10_000);
  assert.deepEqual(questions, ['silent', 'answered', 'lost', 'lost', 'answered']);
  assert.equal(connection.canDecide.value, true);
  feed.close();
});

test('a first question that is never answered is asked anew when the page comes back', async () => {
  const { clock, connection, feed, questions } = openRig(['silent']);
  await clock.advance(1_000);
  assert.deepEqual(questions, ['silent']);
  connection.retryNow();
  await clock.advance(100);
  assert.deepEqual(questions, ['silent', 'answered']);
  assert.equal(connection.canDecide.value, true);
  feed.close();
});
