/*
 * The SDK's session, recovery and outbox against real gateways: ones that are killed, behind a network that resets, freezes, closes with 1000
 * and loses answers. What counts is that the reader has what the server has: the same events, each once.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSignalBell, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import {
  createClient,
  createMemoryOutboxStore,
  createOutbox,
  createOutboxWire,
  openSession,
  recoverTurn,
  type SessionHappening,
  type SessionLine,
  type SessionStatus,
} from '@clawdfather/sdk';
import { openCuttingProxy } from '@clawdfather/testkit';
import { createTalk, isEndOf, type SeenEvent } from '../agents/talk.ts';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { hasty } from './hasty.ts';

const clock = createSystemClock();
const random = createSystemRandom();
/* A gateway behind a proxy, killed and started again in its place. */
async function openMortalGateway() {
  const directory = await mkdtemp(join(tmpdir(), 'mortal-'));
  let gateway = await startGatewayProcess(directory);
  const proxy = await openCuttingProxy(gateway.url);
  const { token } = gateway;
  return {
    proxy,
    me: (): ApiCaller => gateway.me,
    client: createClient({ baseUrl: proxy.url, token }),
    kill: () => gateway.end('SIGKILL'),
    start: async (): Promise<void> => {
      gateway = await startGatewayProcess(directory);
      proxy.target(gateway.url);
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.end('SIGTERM');
      await endEveryRun(join(directory, 'state'));
      await proxy[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/* Reads a line to its end, and lets a test wait for what it has seen. */
function watch(line: SessionLine) {
  const events: SeenEvent[] = [];
  const others: SessionHappening[] = [];
  const bell = createSignalBell();
  const over = (async () => {
    for await (const one of line) {
      if (one.kind === 'event') events.push(one.event);
      else others.push(one);
      bell.ring();
    }
  })();
  return {
    events,
    others,
    over,
    until: async (isThere: () => boolean): Promise<void> => {
      while (!isThere()) await bell.wait();
    },
  };
}

const hashOf = (events: readonly SeenEvent[]): string =>
  createHash('sha256').update(JSON.stringify(events)).digest('hex');

/* What the server has, all of it. */
async function assertSame(seen: readonly SeenEvent[], me: ApiCaller, threadId: string) {
  const kept: SeenEvent[] = [];
  for (;;) {
    const after = kept.at(-1)?.seq ?? 0;
    const { body } = await me.get(`threads/${threadId}/events?after=${after}&limit=500`);
    if (body['items'].length === 0) break;
    kept.push(...(body['items'] as SeenEvent[]));
  }
  assert.deepEqual(
    seen.map(({ seq }) => seq),
    kept.map(({ seq }) => seq),
  );
  assert.equal(hashOf(seen), hashOf(kept));
}

test('a gateway that is killed again and again under an open session: every event once, and each restart named as one', async () => {
  await using rig = await openMortalGateway();
  const { client, me } = rig;
  const { body } = await me().post('sessions', { agent: 'echo' });
  const { id: sessionId, agent_session_id: threadId } = body['session'];
  const talk = createTalk(me);
  talk.takeUp(threadId);
  const statuses: SessionStatus[] = [];
  const line = openSession(
    { client, sessionId, after: 0 },
    { ...hasty, onStatus: (status) => void statuses.push(status) },
  );
  const seen = watch(line);
  for (let round = 0; round < 3; round += 1) {
    const turn = await talk.say(`say 300 words\nround ${round}`);
    await seen.until(() => seen.events.some(({ turn_id: of }) => of === turn));
    await rig.kill();
    await rig.start();
    // A short turn may have ended before its gateway was killed.
    await seen.until(() => seen.others.length > round);
    await seen.until(() => seen.events.some(isEndOf(turn)));
  }
  const last = await talk.say('are you there?');
  await seen.until(() => seen.events.some(isEndOf(last)));
  const kinds = seen.others.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['restarted', 'restarted', 'restarted'], 'no gap, no reset');
  assert.ok(statuses.every(({ kind }) => kind !== 'offline' && kind !== 'expired'));
  assert.equal(line.status.kind, 'live');
  await assertSame(seen.events, me(), threadId);
  line.close();
  await seen.over;
});

test('resets, polite closes with 1000 and a network that freezes lose and double nothing', async () => {
  await using rig = await openTestGateway();
  await using proxy = await openCuttingProxy(rig.url.toString());
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.post('sessions', { agent: 'echo' });
  const { id: sessionId, agent_session_id: threadId } = body['session'];
  const talk = createTalk(() => me);
  talk.takeUp(threadId);
  const client = createClient({ baseUrl: proxy.url, token: rig.owner.token });
  const line = openSession({ client, sessionId, after: 0 }, hasty);
  const seen = watch(line);
  const untilLive = async (): Promise<void> => {
    const turn = await talk.say('are you there?');
    await seen.until(() => seen.events.some(isEndOf(turn)));
  };
  for (const harm of ['reset', 'closeNormally', 'freeze'] as const) {
    await untilLive();
    const turn = await talk.say('say 500 words\nand an end');
    await seen.until(() => seen.events.some(({ turn_id: of }) => of === turn));
    if (harm === 'freeze') {
      proxy.freeze(true);
      await talk.until(isEndOf(turn));
      // The page is seen again after a nap. What it had looks open and is dead.
      proxy.freeze(false);
      line.wake(60_000);
    } else proxy[harm]();
    await seen.until(() => seen.events.some(isEndOf(turn)));
  }
  await assertSame(seen.events, me, threadId);
  assert.equal(seen.others.length, 0);
  assert.ok(proxy.connections >= 4);

  await me.delete(`sessions/${sessionId}`);
  await seen.over;
  assert.equal(seen.others.at(-1)?.kind, 'closed');
  assert.equal(line.status.kind, 'expired');
});

test('a message whose answer is lost arrives once; its turn is recovered through a restart', async () => {
  await using rig = await openMortalGateway();
  const { client, me, proxy } = rig;
  const store = createMemoryOutboxStore();
  const deps = { store, wire: createOutboxWire(client), clock, random };
  const outbox = createOutbox(deps);
  const { key } = await outbox.begin({ kind: 'thread', agent: 'echo' });
  const thread = { kind: 'new', key } as const;
  await outbox.write(thread, { kind: 'message', text: 'first' });
  const last = await outbox.write(thread, { kind: 'message', text: 'ask: may I?' });
  proxy.swallowAnswers(true);
  for (let attempt = 0; attempt < 3; attempt += 1) assert.equal(await outbox.flush(), 'stopped');
  proxy.swallowAnswers(false);
  assert.equal(await createOutbox(deps).flush(), 'done');
  const rows = await outbox.rows();
  assert.ok(rows.every(({ state }) => state.kind === 'accepted'));
  const { items } = await client.threads.list();
  assert.equal(items.length, 1);
  const { turns } = await client.threads.get({ params: { id: items[0]?.id ?? '' } });
  assert.equal(turns.length, 2);

  const state = rows.find((row) => row.key === last.key)?.state;
  const turnId = state?.kind === 'accepted' ? state.id : '';
  const { last: lastGateway } = client.gateway;
  const states: string[] = [];
  const bell = createSignalBell();
  const recovering = recoverTurn(
    { client, turnId, ...(lastGateway && { gateway: lastGateway }) },
    {
      ...hasty,
      onState: ({ kind }) => {
        states.push(kind);
        bell.ring();
      },
    },
  );
  const talk = createTalk(me);
  talk.takeUp(items[0]?.id ?? '');
  await talk.until(({ type }) => type === 'approval');
  while (!states.includes('polling')) await bell.wait();
  await rig.kill();
  while (states.at(-1) !== 'lost_connection') await bell.wait();
  await rig.start();
  while (states.at(-1) !== 'polling') await bell.wait();
  const asks = await client.asks.list();
  const [ask] = asks.items;
  assert.ok(ask);
  const option = ask.options[0]?.option_id ?? '';
  await client.asks.answer({ params: { id: ask.id }, body: { option_id: option } });
  const end = await recovering;
  assert.deepEqual(
    [end.kind, end.kind === 'recovered' && end.status, end.isRestarted],
    ['recovered', 'completed', true],
  );
});
