/*
 * Revoking a key, over records in memory: all of it or nothing, and sessions end only by force.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KeyRevocation, revokeKey } from '@clawdfather/ssh';

function createRig(mayClose = true) {
  const state = { sealed: 'envelope' as string | undefined, closed: [] as string[] };
  let closing: readonly string[] = [];
  const revocation: KeyRevocation = {
    inTransaction: (work) =>
      work({
        sealedOf: async () => state.sealed,
        rewrap: async ({ from, to }) => {
          if (state.sealed !== from) return 'not_found';
          state.sealed = to;
          return 'rewrapped';
        },
        revoke: async (id, isForced) => {
          if (id !== 'key') return 'not_found';
          return isForced ? 'revoked' : 'active_sessions_exist';
        },
        sessionsUsing: async () => ['s1', 's2'],
        closeSessions: async (ids) => void (closing = ids),
      }),
    checkMayClose: (ids) => {
      if (!mayClose && ids.length > 0) throw new RangeError('no');
    },
    endClosed: async () => void state.closed.push(...closing),
  };
  return { state, revocation };
}

test('by force the private half is erased and the sessions that use it are closed', async () => {
  const { state, revocation } = createRig();
  assert.equal(await revokeKey(revocation, { id: 'key', isForced: true }), 'revoked');
  assert.deepEqual(state, { sealed: 'erased', closed: ['s1', 's2'] });
});

test('a key in use is kept unless it is forced; a key that is not there changes nothing', async () => {
  const { state, revocation } = createRig();
  const kept = await revokeKey(revocation, { id: 'key', isForced: false });
  assert.equal(kept, 'active_sessions_exist');
  assert.equal(await revokeKey(revocation, { id: 'none', isForced: true }), 'not_found');
  assert.deepEqual(state, { sealed: 'envelope', closed: [] });
});

test('who may not end what runs in them revokes nothing', async () => {
  const { state, revocation } = createRig(false);
  await assert.rejects(revokeKey(revocation, { id: 'key', isForced: true }), RangeError);
  assert.deepEqual(state, { sealed: 'envelope', closed: [] });
});
