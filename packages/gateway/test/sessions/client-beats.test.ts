/*
 * Clients' heartbeats: any call that names a session, written at most every half minute.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { silentLog } from '@clawdfather/kit';
import { parseAccountId, type Store } from '@clawdfather/store';
import { createFakeClock } from '@clawdfather/testkit';
import { createClientBeats } from '../../src/sessions/client-beats.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const account = parseAccountId('ann');

function createCountingStore(outcome: () => Promise<'seen'>) {
  const written: string[] = [];
  const clientSeen = (id: string): Promise<'seen'> => {
    written.push(id);
    return outcome();
  };
  // All that beats ask of a database.
  const store = { forAccount: () => ({ sessions: { clientSeen } }) } as unknown as Store;
  return { store, written };
}

test('of one session at most one beat in half a minute is written, of several one each', async () => {
  const clock = createFakeClock();
  const { store, written } = createCountingStore(async () => 'seen');
  const beats = createClientBeats({ store, clock, log: silentLog });
  for (let count = 0; count < 100; count += 1) beats.seen(account, 'one');
  beats.seen(account, 'other');
  assert.deepEqual(written, ['one', 'other']);
  await clock.advance(29_999);
  beats.seen(account, 'one');
  assert.equal(written.length, 2);
  await clock.advance(1);
  beats.seen(account, 'one');
  assert.deepEqual(written, ['one', 'other', 'one']);
});

test('a beat that failed is made up for by the next call', async () => {
  const clock = createFakeClock();
  const { store, written } = createCountingStore(() => Promise.reject(new Error('on purpose')));
  const beats = createClientBeats({ store, clock, log: silentLog });
  beats.seen(account, 'one');
  await clock.advance(0);
  beats.seen(account, 'one');
  assert.equal(written.length, 2);
});

test('looking at a session over HTTP is a heartbeat', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const { session } = (await ask('POST', 'sessions', { body: {} })).body;
  const { sessions } = rig.gateway.store.forAccount(rig.owner.accountId);
  const before = (await sessions.get(session.id))?.clientHeartbeatAtMs ?? 0;
  await ask('GET', `sessions/${session.id}`);
  // The beat is not waited for, so it may come after the answer.
  let seen = before;
  while (seen === before) {
    await setImmediate();
    seen = (await sessions.get(session.id))?.clientHeartbeatAtMs ?? 0;
  }
  assert.ok(seen > before);
});
