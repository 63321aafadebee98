/*
 * Every state of a lease against every event, so that an arrow nobody drew cannot exist.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Lease, type LeaseEvent, nextLease } from '@clawdfather/store';

const staleMs = 120_000;
const base = {
  epoch: 3,
  owner: { instanceId: 'a', generation: 2 },
  ownerHeartbeatAtMs: 1_000_000,
  clientHeartbeatAtMs: 900_000,
};
const leases: Readonly<Record<Lease['status'], Lease>> = {
  pending: { ...base, status: 'pending' },
  active: { ...base, status: 'active', startedAtMs: 800_000, agentSessionId: 'x' },
  closed: { ...base, status: 'closed', endedAtMs: 950_000, closeReason: 'user' },
  error: {
    ...base,
    status: 'error',
    endedAtMs: 950_000,
    closeReason: 'error',
    errorCode: 'e',
    errorMessage: 'm',
  },
};
const atMs = 1_010_000;
const lateMs = 1_000_000 + staleMs + 1;
const events = {
  activated: { type: 'activated', epoch: 3, atMs, agentSessionId: 'y' },
  failed: { type: 'failed', epoch: 3, atMs, errorCode: 'ssh', errorMessage: 'no' },
  closed: { type: 'closed', epoch: 3, atMs, reason: 'timeout' },
  beat: { type: 'owner-beat', epoch: 3, atMs },
  'beat from before': { type: 'owner-beat', epoch: 3, atMs: 999_999 },
  seen: { type: 'client-seen', atMs },
  'seen before': { type: 'client-seen', atMs: 899_999 },
  'taken too early': { type: 'taken', by: { instanceId: 'b', generation: 1 }, atMs },
  'taken when stale': { type: 'taken', by: { instanceId: 'b', generation: 1 }, atMs: lateMs },
  'taken at the very limit': {
    type: 'taken',
    by: { instanceId: 'b', generation: 1 },
    atMs: 1_000_000 + staleMs,
  },
  'taken by itself': { type: 'taken', by: base.owner, atMs: lateMs },
  'taken by its successor': { type: 'taken', by: { instanceId: 'a', generation: 3 }, atMs },
  'taken by its predecessor': {
    type: 'taken',
    by: { instanceId: 'a', generation: 1 },
    atMs: lateMs,
  },
} as const satisfies Record<string, LeaseEvent>;

/* What becomes of it: the status, or why not. */
const table: Readonly<Record<keyof typeof events, Readonly<Record<Lease['status'], string>>>> = {
  activated: { pending: 'active', active: 'unchanged', closed: 'ended', error: 'ended' },
  failed: { pending: 'error', active: 'error', closed: 'ended', error: 'ended' },
  closed: { pending: 'error', active: 'closed', closed: 'unchanged', error: 'unchanged' },
  beat: { pending: 'pending', active: 'active', closed: 'ended', error: 'ended' },
  'beat from before': {
    pending: 'unchanged',
    active: 'unchanged',
    closed: 'ended',
    error: 'ended',
  },
  seen: { pending: 'pending', active: 'active', closed: 'ended', error: 'ended' },
  'seen before': { pending: 'unchanged', active: 'unchanged', closed: 'ended', error: 'ended' },
  'taken too early': {
    pending: 'owner_alive',
    active: 'owner_alive',
    closed: 'ended',
    error: 'ended',
  },
  'taken when stale': { pending: 'pending', active: 'active', closed: 'ended', error: 'ended' },
  'taken at the very limit': {
    pending: 'owner_alive',
    active: 'owner_alive',
    closed: 'ended',
    error: 'ended',
  },
  'taken by itself': { pending: 'unchanged', active: 'unchanged', closed: 'ended', error: 'ended' },
  'taken by its successor': {
    pending: 'pending',
    active: 'active',
    closed: 'ended',
    error: 'ended',
  },
  'taken by its predecessor': {
    pending: 'owner_alive',
    active: 'owner_alive',
    closed: 'ended',
    error: 'ended',
  },
};

test('every state against every event does what the table says', () => {
  for (const [name, event] of Object.entries(events)) {
    for (const lease of Object.values(leases)) {
      const step = nextLease(lease, event);
      const got =
        step.outcome === 'changed'
          ? step.lease.status
          : step.outcome === 'refused'
            ? step.why
            : 'unchanged';
      const wanted = table[name as keyof typeof events][lease.status];
      assert.equal(got, wanted, `${lease.status}, ${name}`);
    }
  }
});

test('an older or a newer epoch is refused in every state', () => {
  for (const lease of Object.values(leases)) {
    for (const event of [events.activated, events.failed, events.closed, events.beat]) {
      for (const epoch of [2, 4]) {
        assert.deepEqual(nextLease(lease, { ...event, epoch }), {
          outcome: 'refused',
          why: 'epoch_stale',
        });
      }
    }
  }
});

test('downtime is not idleness: whoever takes a lease moves the client clock on by it', () => {
  const step = nextLease(leases.active, events['taken when stale']);
  assert.equal(step.outcome, 'changed');
  /* Idle for 100 s when its owner was last heard, and so it is now. */
  assert.equal(lateMs - step.lease.clientHeartbeatAtMs, 100_000);
  assert.equal(step.lease.epoch, 4);
});

test('an owner that slept has slept for its clients, too; a late beat has not', () => {
  const woken = nextLease(leases.active, { type: 'owner-beat', epoch: 3, atMs: lateMs });
  assert.equal(woken.outcome, 'changed');
  assert.equal(lateMs - woken.lease.clientHeartbeatAtMs, 100_000);
  const late = nextLease(leases.active, events.beat);
  assert.equal(late.outcome === 'changed' && late.lease.clientHeartbeatAtMs, 900_000);
});

test('whatever happens: epochs and client times never go back, and an end stays', () => {
  const owners = fc.record({
    instanceId: fc.constantFrom('a', 'b', 'c'),
    generation: fc.integer({ min: 1, max: 3 }),
  });
  const time = fc.integer({ min: 0, max: 2_000_000 });
  const epoch = fc.integer({ min: 1, max: 6 });
  const event: fc.Arbitrary<LeaseEvent> = fc.oneof(
    fc.record({
      type: fc.constant('activated' as const),
      epoch,
      atMs: time,
      agentSessionId: fc.constant(undefined),
    }),
    fc.record({
      type: fc.constant('closed' as const),
      epoch,
      atMs: time,
      reason: fc.constant('user' as const),
    }),
    fc.record({ type: fc.constant('owner-beat' as const), epoch, atMs: time }),
    fc.record({ type: fc.constant('client-seen' as const), atMs: time }),
    fc.record({ type: fc.constant('taken' as const), by: owners, atMs: time }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (list) => {
      let lease: Lease = leases.pending;
      for (const next of list) {
        const step = nextLease(lease, next);
        if (step.outcome !== 'changed') continue;
        assert.ok(step.lease.epoch >= lease.epoch);
        assert.ok(step.lease.clientHeartbeatAtMs >= lease.clientHeartbeatAtMs);
        assert.ok(step.lease.ownerHeartbeatAtMs >= lease.ownerHeartbeatAtMs);
        assert.ok(lease.status !== 'closed' && lease.status !== 'error');
        lease = step.lease;
      }
    }),
  );
});
