/*
 * A conversation that is opened while the gateway is away: it comes as soon as the gateway does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, type Fetch } from '@clawdfather/sdk';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { openConversation } from '../../src/state/conversation.ts';
import { createPageStorage } from '../storage/page-storage.ts';

const thread = 'aaaaaaaaaaaaaaaa';

/* Pages as the test says; streams that stay open and say nothing. */
function openRig(newest = 9) {
  const clock = createFakeClock();
  const gateway = { status: 0, pages: 0, streams: 0 };
  const fetch: Fetch = async (url, { headers, signal }) => {
    if (new Headers(headers).get('accept') === 'text/event-stream') {
      gateway.streams += 1;
      const body = new ReadableStream({
        start: (stream) => signal?.addEventListener('abort', () => stream.error(signal.reason)),
      });
      return new Response(body);
    }
    gateway.pages += 1;
    if (gateway.status === 0) throw new TypeError('no network');
    const before = Number(new URL(url).searchParams.get('before') ?? newest + 1);
    const first = Math.max(1, before - 5);
    const page = { thread_id: thread, blocks: [], last_seq: before - 1, newest_seq: newest };
    const more = { first_seq: first, has_more: first > 1, gaps: [] };
    return Response.json({ ...page, ...more }, { status: gateway.status });
  };
  const renewing = new Set<() => void>();
  const deps = {
    client: createClient({ baseUrl: 'http://gateway.test', fetch }),
    clock,
    random: createSeededRandom(1),
    storage: createPageStorage(),
    renewals: (renew: () => void) => {
      renewing.add(renew);
      return () => void renewing.delete(renew);
    },
    beforePaint: (show: () => void) => show(),
  };
  const conversation = openConversation(deps, thread);
  const renew = (): void => {
    for (const one of renewing) one();
  };
  return { clock, gateway, conversation, renew };
}

/* Long enough for an answer to be read, and too short for any pause to end. */
const soonMs = 20;

test('a thread that was opened without a gateway is there when the gateway is', async () => {
  const { clock, gateway, conversation } = openRig();
  await clock.advance(5_000);
  assert.equal(conversation.problem.value?.kind, 'unreachable');
  assert.ok(gateway.pages > 1);
  gateway.status = 200;
  await clock.advance(60_000);
  assert.deepEqual(conversation.blocks.value, []);
  assert.equal(conversation.problem.value, undefined);
  assert.equal(conversation.link.value, 'live');
  conversation.close();
});

test('a renewal, or a person, ends the pause before the next attempt', async () => {
  const { clock, gateway, conversation, renew } = openRig();
  await clock.advance(60_000);
  const before = gateway.pages;
  conversation.retry();
  await clock.advance(soonMs);
  assert.equal(gateway.pages, before + 1);
  gateway.status = 200;
  renew();
  await clock.advance(soonMs);
  assert.equal(gateway.pages, before + 2);
  assert.equal(conversation.problem.value, undefined);
  assert.equal(gateway.streams, 1);
  conversation.close();
});

test('a refusal is not tried again until a person does', async () => {
  const { clock, gateway, conversation } = openRig();
  gateway.status = 404;
  await clock.advance(60_000);
  assert.equal(conversation.problem.value?.kind, 'refused');
  const before = gateway.pages;
  await clock.advance(60_000);
  assert.equal(gateway.pages, before);
  gateway.status = 200;
  conversation.retry();
  await clock.advance(soonMs);
  assert.equal(conversation.problem.value, undefined);
  assert.deepEqual(conversation.blocks.value, []);
  conversation.close();
});

test('older messages that failed to come are no problem any more once they are here', async () => {
  const { clock, gateway, conversation } = openRig();
  gateway.status = 200;
  await clock.advance(60_000);
  gateway.status = 0;
  await conversation.loadOlder();
  assert.equal(conversation.problem.value?.kind, 'unreachable');
  gateway.status = 200;
  conversation.retry();
  await clock.advance(soonMs);
  assert.equal(conversation.problem.value, undefined);
  assert.equal(conversation.hasOlder.value, false);
  conversation.close();
});

test('to get to an old event, older pages come until it is here', async () => {
  const { clock, gateway, conversation } = openRig(40);
  gateway.status = 200;
  await clock.advance(60_000);
  const first = gateway.pages;
  await conversation.loadBackTo(12);
  const pages = gateway.pages;
  assert.equal(pages, first + 5, 'those from 31, 26, 21, 16 and 11 on');
  await conversation.loadBackTo(12);
  assert.equal(gateway.pages, pages, 'it is here');
  gateway.status = 0;
  await conversation.loadBackTo(2);
  assert.equal(gateway.pages, pages + 1, 'what fails is not tried for ever');
  assert.equal(conversation.problem.value?.kind, 'unreachable');
  conversation.close();
});

test('a thread that is closed is not asked for any more', async () => {
  const { clock, gateway, conversation } = openRig();
  await clock.advance(1_000);
  conversation.close();
  const before = gateway.pages;
  await clock.advance(60_000);
  assert.equal(gateway.pages, before);
  assert.equal(clock.pendingTimers, 0);
});
