/*
 * A receipt and its proof: for every cut of a thread, what a reader received is proven whole, and what is taken away is named.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LoggedEvent } from '@clawdfather/protocol/history';
import { proveReceipt } from '@clawdfather/sdk';
import { createSystemClock } from '@clawdfather/kit';
import { endTurn, gate, onPrompt, say, toolCall } from '@clawdfather/testkit';
import fc from 'fast-check';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { ReceiptSums } from '../../src/history/receipt.ts';
import { makeReceipt } from '../../src/history/show-receipt.ts';
import type { Caller } from '../../src/http/caller.ts';
import { openScriptedTalk } from './scripted-talk.ts';

const somePayload = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
const someEvents = fc
  .array(fc.tuple(fc.constantFrom('delta', 'tool', 'status', 'approval'), somePayload), {
    maxLength: 40,
  })
  .map((parts) =>
    parts.map(
      ([type, payload], index): LoggedEvent => ({
        seq: index + 1,
        turn_id: index % 3 === 0 ? null : 'turn',
        type,
        payload,
        at: new Date(index).toISOString(),
      }),
    ),
  );

function receiptOf(events: readonly LoggedEvent[], since: number) {
  const sums = new ReceiptSums(since);
  for (const event of events.filter(({ seq }) => seq > since)) sums.take(event);
  const through = Math.max(since, events.length);
  const { checksum, events: count, bytes, missing } = sums.sums(through);
  return { since, through, checksum, events: count, bytes, missing: [...missing] };
}

/* As a client gets them: through JSON, and with members in another order. */
function received(events: readonly LoggedEvent[]): LoggedEvent[] {
  return events.map(({ payload, ...event }) =>
    JSON.parse(
      JSON.stringify({
        payload: Object.fromEntries(Object.entries(payload).toReversed()),
        ...event,
      }),
    ),
  );
}

test('what was received is proven, in any order and with some of it twice', async () => {
  await fc.assert(
    fc.asyncProperty(someEvents, fc.nat(45), fc.nat(45), async (events, since, again) => {
      const receipt = receiptOf(events, since);
      const seen = received([...events.slice(again), ...events].toReversed());
      const proof = await proveReceipt(receipt, seen);
      assert.deepEqual([proof.isProven, proof.missing], [true, []]);
      assert.deepEqual([proof.events, proof.bytes], [receipt.events, receipt.bytes]);
    }),
  );
});

test('what is missing is named, and what is changed is not proven', async () => {
  await fc.assert(
    fc.asyncProperty(someEvents, fc.nat(45), fc.nat(45), async (events, since, place) => {
      const mine = events.filter(({ seq }) => seq > since);
      fc.pre(mine.length > 0);
      const lost = mine[place % mine.length]?.seq ?? 0;
      const receipt = receiptOf(events, since);
      const without = received(events).filter(({ seq }) => seq !== lost);
      const proof = await proveReceipt(receipt, without);
      assert.deepEqual(proof.missing, [{ from: lost, to: lost }]);
      assert.equal(proof.isProven, false);
      const changed = received(events).map((event) =>
        event.seq === lost ? { ...event, payload: { ...event.payload, more: 1 } } : event,
      );
      assert.equal((await proveReceipt(receipt, changed)).isProven, false);
    }),
  );
});

test('a receipt counts what was changed, decided and ended, by whom, and says how it stands', async (t) => {
  const diff = (path: string, oldText: string | null, newText: string) => ({
    status: 'completed',
    content: [{ type: 'diff', path, oldText, newText }],
  });
  await using talking = await openScriptedTalk(t, [
    onPrompt([say('one'), endTurn()]),
    onPrompt([
      toolCall('a', 'edit', diff('/project/a.txt', 'x\ny\n', 'x\nz\n')),
      toolCall('b', 'edit', diff('/project/new.txt', null, '1\n2\n')),
      endTurn(),
    ]),
    gate('never'),
  ]);
  const { talk, me } = talking;
  const first = await talk.until(isEndOf(await talk.say('first')));
  const turn = await talk.say('second');
  await talk.until(isEndOf(turn));
  const { status, body } = await me.get(`threads/${talk.id()}/receipt?since=${first.seq}`);
  assert.equal(status, 200, JSON.stringify(body));
  const events = talk.events as unknown as LoggedEvent[];
  assert.equal((await proveReceipt(body as never, events)).isProven, true);
  assert.deepEqual(
    body['turns'].map(({ turn_id, status: how }: never) => [turn_id, how]),
    [[turn, 'completed']],
  );
  assert.deepEqual(
    body['files'].map(({ path, added, removed, is_new }: never) => [path, added, removed, is_new]),
    [
      ['/project/a.txt', 1, 1, false],
      ['/project/new.txt', 2, 0, true],
    ],
  );
  assert.deepEqual([body['added'], body['removed'], body['files_total']], [3, 1, 2]);
  assert.deepEqual([body['missing'], body['gateways'], body['is_complete']], [[], [], true]);
  assert.ok(body['away_ms'] >= 0);
  const { state } = body;
  assert.deepEqual([state.status, state.running_turn_id, state.open_asks], ['ready', null, 0]);
});

test('how the thread stands is of one moment, also if it goes on while the receipt is made', async (t) => {
  await using talking = await openScriptedTalk(t, [
    onPrompt([say('one'), endTurn()]),
    gate('never'),
  ]);
  const { talk, rig } = talking;
  await talk.until(isEndOf(await talk.say('first')));
  const { store } = rig.gateway;
  const { accountId } = rig.owner;
  const mine = store.forAccount(accountId);
  const before = await mine.threads.get(talk.id());
  assert.ok(before);
  let next: string | undefined;
  const history = {
    ...mine.history,
    sizes: async (...asked: Parameters<typeof mine.history.sizes>) => {
      next ??= await talk.say('second');
      await talk.until(
        ({ payload, turn_id }) => turn_id === next && payload['event'] === 'started',
      );
      return mine.history.sizes(...asked);
    },
  };
  const inBetween: typeof mine = Object.create(mine, {
    history: { value: history },
    threads: { value: mine.threads },
  });
  const between: typeof store = Object.create(store, { forAccount: { value: () => inBetween } });
  const caller: Caller = {
    kind: 'device',
    accountId,
    id: 'd',
    name: 'd',
    scopes: ['read'],
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    isOwner: true,
    cameBy: 'bearer',
  };
  const deps = { store: between, clock: createSystemClock() };
  const { newest_seq, state } = await makeReceipt(deps, caller, { thread: before, since: 0 });
  assert.ok(next);
  assert.deepEqual(
    [newest_seq, state.status, state.running_turn_id, state.waiting_turns],
    [before.lastSeq, 'ready', null, 0],
  );
});

test('every cut of a thread is proven, restarts of the gateway are counted, and a removed event is missing', {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-receipt-'));
  let gateway = await startGatewayProcess(directory);
  try {
    const talk = createTalk(() => gateway.me);
    await talk.begin();
    await talk.until(isEndOf(await talk.say('say 500 words')));
    const cutSeq = talk.events.at(-1)?.seq ?? 0;
    const turn = await talk.say('say 2000 words\nask: go on?\nsay 10 words');
    await talk.until(({ type }) => type === 'approval');
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
    const [{ id: askId, options }] = (await gateway.me.get('asks')).body['items'];
    await gateway.me.post(`asks/${askId}`, { option_id: options[0].option_id });
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
    await talk.until(isEndOf(turn));
    const events = talk.events as unknown as LoggedEvent[];
    const receiptSince = async (since: number) => {
      const { body } = await gateway.me.get(`threads/${talk.id()}/receipt?since=${since}`);
      // Whatever came since is followed, too.
      if (body['newest_seq'] > (events.at(-1)?.seq ?? 0)) {
        await talk.until(({ seq }) => seq >= body['newest_seq']);
      }
      return body as never as Parameters<typeof proveReceipt>[0] & Record<string, unknown>;
    };
    const step = Math.max(1, Math.floor(events.length / 50));
    for (let since = 0; since <= events.length; since += step) {
      const proof = await proveReceipt(await receiptSince(since), events);
      assert.deepEqual([proof.isProven, proof.missing], [true, []], `since ${since}`);
    }
    const receipt = await receiptSince(cutSeq);
    const [instance, ...otinBetween] = receipt['gateways'] as { starts: number }[];
    assert.deepEqual([instance?.starts, otinBetween], [2, []]);
    const [decided] = receipt['decisions'] as { ask_id: string; by: string }[];
    assert.equal(decided?.ask_id, askId);
    assert.match(decided?.by ?? '', /^(?:device|token):/);
    const missing = await proveReceipt(
      receipt,
      events.filter(({ seq }) => seq !== cutSeq + 2),
    );
    assert.deepEqual(missing.missing, [{ from: cutSeq + 2, to: cutSeq + 2 }]);
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});
