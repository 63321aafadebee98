/*
 * Every state of a session against every event, so that an arrow nobody drew cannot exist.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  nextSession,
  type SessionEvent,
  type SessionState,
  type SessionStep,
} from '@clawdfather/sessions';

const staleMs = 120_000;
const held = {
  epoch: 3,
  owner: { instanceId: 'a', generation: 2 },
  ownerHeartbeatAtMs: 1_000_000,
  clientHeartbeatAtMs: 900_000,
};
const states: Readonly<Record<SessionState['status'], SessionState>> = {
  pending: { ...held, status: 'pending' },
  active: { ...held, status: 'active', startedAtMs: 800_000 },
  closed: { ...held, status: 'closed', endedAtMs: 950_000, closeReason: 'user' },
  error: {
    ...held,
    status: 'error',
    endedAtMs: 950_000,
    closeReason: 'error',
    errorCode: 'e',
    errorMessage: 'm',
  },
};
const atMs = 1_010_000;
const lateMs = 1_000_000 + staleMs + 1;
const other = { instanceId: 'b', generation: 1 };

interface Happening {
  readonly event: SessionEvent;
  readonly atMs: number;
}

const happenings = {
  activated: { event: { type: 'activated', epoch: 3 }, atMs },
  closed: { event: { type: 'closed', reason: 'user' }, atMs },
  idle: { event: { type: 'idle', epoch: 3, seenAtMs: 900_000 }, atMs },
  'idle until a client came': { event: { type: 'idle', epoch: 3, seenAtMs: 899_999 }, atMs },
  lost: { event: { type: 'lost', epoch: 3 }, atMs },
  beat: { event: { type: 'owner-beat', epoch: 3 }, atMs },
  'beat from before': { event: { type: 'owner-beat', epoch: 3 }, atMs: 999_999 },
  seen: { event: { type: 'client-seen' }, atMs },
  'seen before': { event: { type: 'client-seen' }, atMs: 899_999 },
  'taken too early': { event: { type: 'taken', by: other }, atMs },
  'taken when stale': { event: { type: 'taken', by: other }, atMs: lateMs },
  'taken at the very limit': { event: { type: 'taken', by: other }, atMs: 1_000_000 + staleMs },
  'taken by itself': { event: { type: 'taken', by: held.owner }, atMs: lateMs },
  'taken by its successor': {
    event: { type: 'taken', by: { instanceId: 'a', generation: 3 } },
    atMs,
  },
  'taken by its predecessor': {
    event: { type: 'taken', by: { instanceId: 'a', generation: 1 } },
    atMs: lateMs,
  },
} as const satisfies Record<string, Happening>;

type Name = keyof typeof happenings;

/* What becomes of a pending and of an active one: the status, or why not. */
const table: Readonly<Record<Name, readonly [pending: string, active: string]>> = {
  activated: ['active', 'unchanged'],
  closed: ['error', 'closed'],
  idle: ['error', 'closed'],
  'idle until a client came': ['client_seen', 'client_seen'],
  lost: ['error', 'closed'],
  beat: ['pending', 'active'],
  'beat from before': ['unchanged', 'unchanged'],
  seen: ['pending', 'active'],
  'seen before': ['unchanged', 'unchanged'],
  'taken too early': ['owner_alive', 'owner_alive'],
  'taken when stale': ['pending', 'active'],
  'taken at the very limit': ['owner_alive', 'owner_alive'],
  'taken by itself': ['unchanged', 'unchanged'],
  'taken by its successor': ['pending', 'active'],
  'taken by its predecessor': ['owner_alive', 'owner_alive'],
};

const names = Object.keys(happenings) as readonly Name[];

function step(state: SessionState, name: Name): SessionStep {
  const { event, atMs: at } = happenings[name];
  return nextSession(state, event, at);
}

function wordOf(done: SessionStep): string {
  if (done.outcome === 'changed') return done.state.status;
  return done.outcome === 'refused' ? done.why : 'unchanged';
}

test('every open state against every event does what the table says', () => {
  for (const name of names) {
    const got = [wordOf(step(states.pending, name)), wordOf(step(states.active, name))];
    assert.deepEqual(got, table[name], name);
  }
});

test('an end is final: to close again changes nothing, and everything else is refused', () => {
  for (const name of names) {
    for (const state of [states.closed, states.error]) {
      assert.equal(wordOf(step(state, name)), name === 'closed' ? 'unchanged' : 'ended', name);
    }
  }
});

test('every end says when, why, and what a session that never was active died of', () => {
  const endOf = (state: SessionState, name: Name): unknown => {
    const done = step(state, name);
    assert.ok(done.outcome === 'changed');
    const { epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs, ...end } = done.state;
    assert.deepEqual({ epoch, owner, ownerHeartbeatAtMs, clientHeartbeatAtMs }, held);
    return end;
  };
  const ended = { status: 'closed', endedAtMs: atMs };
  assert.deepEqual(endOf(states.active, 'closed'), { ...ended, closeReason: 'user' });
  assert.deepEqual(endOf(states.active, 'idle'), { ...ended, closeReason: 'timeout' });
  assert.deepEqual(endOf(states.active, 'lost'), { ...ended, closeReason: 'timeout' });
  const failed = { status: 'error', endedAtMs: atMs };
  const cancelled = { errorCode: 'cancelled', errorMessage: 'closed before it had started' };
  assert.deepEqual(endOf(states.pending, 'closed'), {
    ...failed,
    ...cancelled,
    closeReason: 'user',
  });
  assert.deepEqual(endOf(states.pending, 'idle'), {
    ...failed,
    ...cancelled,
    closeReason: 'timeout',
  });
  assert.deepEqual(endOf(states.pending, 'lost'), {
    ...failed,
    closeReason: 'error',
    errorCode: 'start_interrupted',
    errorMessage: 'the gateway was lost while it started the session',
  });
});

test('an older or a newer epoch is refused in every state', () => {
  for (const state of Object.values(states)) {
    for (const name of ['activated', 'idle', 'lost', 'beat'] as const) {
      for (const epoch of [2, 4]) {
        const { event } = happenings[name];
        const done = nextSession(state, { ...event, epoch }, atMs);
        assert.deepEqual(done, { outcome: 'refused', why: 'epoch_stale' });
      }
    }
  }
});

test('downtime is not idleness: whoever takes a session moves the client clock on by it', () => {
  const done = step(states.active, 'taken when stale');
  assert.equal(done.outcome, 'changed');
  /* Idle for 100 s when its owner was last heard, and so it is now. */
  assert.equal(lateMs - done.state.clientHeartbeatAtMs, 100_000);
  assert.equal(done.state.epoch, 4);
});

test('an owner that slept has slept for its clients, too; a late beat has not', () => {
  const woken = nextSession(states.active, { type: 'owner-beat', epoch: 3 }, lateMs);
  assert.equal(woken.outcome, 'changed');
  assert.equal(lateMs - woken.state.clientHeartbeatAtMs, 100_000);
  const late = step(states.active, 'beat');
  assert.equal(late.outcome === 'changed' && late.state.clientHeartbeatAtMs, 900_000);
});

test('whatever happens: epochs and client times never go back, and an end stays', () => {
  const owners = fc.record({
    instanceId: fc.constantFrom('a', 'b', 'c'),
    generation: fc.integer({ min: 1, max: 3 }),
  });
  const time = fc.integer({ min: 0, max: 2_000_000 });
  const epoch = fc.integer({ min: 1, max: 6 });
  const event: fc.Arbitrary<SessionEvent> = fc.oneof(
    fc.record({ type: fc.constant('activated' as const), epoch }),
    fc.record({ type: fc.constant('closed' as const), reason: fc.constant('user' as const) }),
    fc.record({ type: fc.constant('idle' as const), epoch, seenAtMs: time }),
    fc.record({ type: fc.constant('lost' as const), epoch }),
    fc.record({ type: fc.constant('owner-beat' as const), epoch }),
    fc.record({ type: fc.constant('client-seen' as const) }),
    fc.record({ type: fc.constant('taken' as const), by: owners }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(event, time), { maxLength: 30 }), (list) => {
      let state: SessionState = states.pending;
      for (const [next, at] of list) {
        const done = nextSession(state, next, at);
        if (done.outcome !== 'changed') continue;
        assert.ok(done.state.epoch >= state.epoch);
        assert.ok(done.state.clientHeartbeatAtMs >= state.clientHeartbeatAtMs);
        assert.ok(done.state.ownerHeartbeatAtMs >= state.ownerHeartbeatAtMs);
        assert.ok(state.status !== 'closed' && state.status !== 'error');
        state = done.state;
      }
    }),
  );
});
