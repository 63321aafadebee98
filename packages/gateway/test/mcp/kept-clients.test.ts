/*
 * How many clients are remembered, and for how long.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import type { Caller } from '../../src/http/caller.ts';
import { createKeptClients } from '../../src/mcp/kept-clients.ts';
import { clientsMax, clientsPerAccountMax, idleMsMax } from '../../src/mcp/limits.ts';

function createRig() {
  const clock = createFakeClock();
  const listeners = new Set<(id: string) => void>();
  const closed: string[] = [];
  const kept = createKeptClients<ReturnType<typeof client>>({
    clock,
    log: silentLog,
    tokens: {
      onForgotten: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
  const client = (key: string, account: string, tokenId: string) => ({
    caller: { accountId: account, id: tokenId } as Caller,
    close: async () => void closed.push(key),
  });
  return {
    clock,
    kept,
    closed,
    listeners,
    add: (key: string, account = 'a', tokenId = 't') => {
      kept.makeRoom(account);
      kept.add(key, client(key, account, tokenId));
    },
    forget: (tokenId: string) => {
      for (const listener of listeners) listener(tokenId);
    },
  };
}

test('whoever is idle for an hour is forgotten; whoever has a request open is not', async () => {
  const { clock, kept, closed, add } = createRig();
  add('idle');
  add('busy');
  const done = kept.hold('busy');
  await clock.advance(idleMsMax + 60_000);
  assert.deepEqual(closed, ['idle']);
  assert.equal(kept.find('idle'), undefined);
  done();
  await clock.advance(idleMsMax - 60_000);
  assert.notEqual(kept.find('busy'), undefined, 'it was used until a moment ago');
  await clock.advance(120_000);
  assert.deepEqual(closed, ['idle', 'busy']);
  assert.equal(clock.pendingTimers, 0, 'nobody is left to be forgotten');
});

test('an account that has its number loses the one that was idle longest', async () => {
  const { clock, kept, closed, add } = createRig();
  for (let number = 0; number < clientsPerAccountMax; number += 1) {
    add(`own ${number}`);
    await clock.advance(1);
  }
  add('foreign', 'b');
  const done = kept.hold('own 0');
  add('one more');
  assert.deepEqual(closed, ['own 1']);
  done();
  await clock.advance(1);
  add('and one more');
  assert.deepEqual(closed, ['own 1', 'own 2'], 'it was used meanwhile');
  await kept.close();
});

test('an account whose clients all have a request open is refused another', async () => {
  const { kept, add } = createRig();
  for (let number = 0; number < clientsPerAccountMax; number += 1) {
    add(`own ${number}`);
    kept.hold(`own ${number}`);
  }
  assert.throws(() => add('one more'), { code: 'rate_limited' });
  add('foreign', 'b');
  await kept.close();
});

test('all together have a number as well', async () => {
  const { clock, kept, closed, add } = createRig();
  for (let number = 0; number < clientsMax; number += 1) {
    add(`client ${number}`, `account ${number % 100}`);
  }
  await clock.advance(1);
  add('one more', 'another');
  assert.deepEqual(closed, ['client 0']);
  await kept.close();
  assert.equal(closed.length, clientsMax + 1);
});

test('a revoked token takes its clients with it, and nothing is left behind', async () => {
  const { clock, kept, closed, listeners, add, forget } = createRig();
  add('one', 'a', 'token');
  add('two', 'a', 'other token');
  kept.hold('one');
  forget('token');
  assert.deepEqual(closed, ['one']);
  await kept.close();
  assert.deepEqual([closed, listeners.size, clock.pendingTimers], [['one', 'two'], 0, 0]);
});
