/*
 * Whose the device is, on bad days: a gateway that is away, and a database that its browser is slow to open.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@clawdfather/sdk';
import { RefusedError, SdkError } from '@clawdfather/sdk';
import { createSeededRandom } from '@clawdfather/testkit';
import { openMembership, type Standing } from '../../src/state/membership.ts';
import { createPageStorage } from '../storage/page-storage.ts';

const account = { id: 'a1', display_name: 'Owner' };

/* A gateway that is away for so many questions, and a device that does not find its notes for so many. */
function open(awayTimes: number, slowTimes: number) {
  const seen = { asked: 0, looked: 0, wiped: 0 };
  const me = async (): Promise<unknown> => {
    seen.asked += 1;
    if (seen.asked <= awayTimes) throw new SdkError('gateway-unreachable', 'it does not answer');
    return { account };
  };
  const membership = openMembership({
    client: { auth: { me } } as unknown as Pick<Client, 'auth'>,
    clock: { sleep: async () => {} },
    random: createSeededRandom(1),
    storage: {
      ...createPageStorage(),
      notes: {
        read: async () => {
          seen.looked += 1;
          return seen.looked > slowTimes ? account : undefined;
        },
      },
    },
    tabs: { tell: () => {}, onNews: () => {} },
    wipe: async () => {
      seen.wiped += 1;
    },
  });
  return { membership, seen };
}

async function untilKnown({ standing }: ReturnType<typeof open>['membership']): Promise<Standing> {
  while (standing.value.kind === 'asking') await new Promise((resolve) => setImmediate(resolve));
  return standing.value;
}

test('what the device kept is shown when its database is open at last, though no gateway answers', async () => {
  const { membership, seen } = open(Number.POSITIVE_INFINITY, 3);
  const standing = await untilKnown(membership);
  assert.deepEqual(standing, { kind: 'in', account, isProven: false });
  assert.equal(seen.wiped, 0);
});

test('a device that has kept nothing is let in when the gateway answers at last', async () => {
  const { membership, seen } = open(3, Number.POSITIVE_INFINITY);
  const standing = await untilKnown(membership);
  assert.deepEqual(standing, { kind: 'in', account, isProven: true });
  assert.equal(seen.asked, 4);
});

test('a device that was revoked says so, also when it has asked twice at once', async () => {
  const answers = [Promise.withResolvers<never>(), Promise.withResolvers<never>()] as const;
  const waiting = [...answers];
  let kept: unknown = account;
  const membership = openMembership({
    client: {
      auth: { me: async () => await waiting.shift()?.promise },
    } as unknown as Pick<Client, 'auth'>,
    clock: { sleep: async () => {} },
    random: createSeededRandom(1),
    storage: { ...createPageStorage(), notes: { read: async () => kept } },
    tabs: { tell: () => {}, onNews: () => {} },
    wipe: async () => {
      kept = undefined;
    },
  });
  const again = membership.ask();
  const refusal = {
    code: 'unauthorized',
    status: 401,
    traceId: undefined,
    retryAfterMs: undefined,
  };
  const refused = new RefusedError('nobody is signed in', { refusal, detail: {} });
  answers[0].reject(refused);
  while (membership.standing.value.kind !== 'out') {
    await new Promise((resolve) => setImmediate(resolve));
  }
  answers[1].reject(refused);
  assert.equal(await again, false);
  assert.deepEqual(membership.standing.value, { kind: 'out', why: 'refused' });
  assert.equal(kept, undefined);
});

test('an answer from before this device was signed out does not sign it in again, and notes nobody', async () => {
  const storage = createPageStorage();
  const late = Promise.withResolvers<unknown>();
  const answers = [Promise.resolve({ account }), late.promise];
  const membership = openMembership({
    client: {
      auth: { me: async () => await answers.shift(), signOut: async () => {} },
    } as unknown as Pick<Client, 'auth'>,
    clock: { sleep: async () => {} },
    random: createSeededRandom(1),
    storage,
    tabs: { tell: () => {}, onNews: () => {} },
    wipe: () => storage.wipe(),
  });
  await untilKnown(membership);
  const asking = membership.ask();
  await membership.signOut();
  late.resolve({ account });
  assert.equal(await asking, false);
  assert.deepEqual(membership.standing.value, { kind: 'out', why: 'asked' });
  assert.deepEqual(await storage.tables.all('notes'), []);
});
