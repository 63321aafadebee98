/*
 * What each event makes of the connection, as docs/lifecycles.md draws it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ConnectionEvent,
  connectionAtStart,
  type ConnectionState,
  nextConnection,
} from '../../src/state/next-connection.ts';

const lost: ConnectionEvent = { kind: 'lost', nextTryAtMs: 5_000 };
const opened: ConnectionEvent = { kind: 'opened' };
const patienceOver: ConnectionEvent = { kind: 'patience-over' };
const restarted: ConnectionEvent = { kind: 'restarted', from: 41, to: 42 };

function after(...events: readonly ConnectionEvent[]): ConnectionState {
  return events.reduce(nextConnection, connectionAtStart);
}

const kinds = (...events: readonly ConnectionEvent[]): string[] => {
  let state = connectionAtStart;
  return events.map((event) => {
    state = nextConnection(state, event);
    return state.link.kind;
  });
};

test('a drop of less than four seconds is never shown, not even when the gateway was restarted', () => {
  assert.deepEqual(kinds(opened, lost, { kind: 'trying' }, restarted, opened), [
    'live',
    'dropped',
    'dropped',
    'dropped',
    'live',
  ]);
});

test('a longer one is told with the time of the next try, and with the one that is under way', () => {
  const waiting = after(opened, lost, patienceOver, lost);
  assert.deepEqual(waiting.link, { kind: 'reconnecting', nextTryAtMs: 5_000 });
  const trying = nextConnection(waiting, { kind: 'trying' });
  assert.deepEqual(trying.link, { kind: 'reconnecting', nextTryAtMs: undefined });
  assert.equal(nextConnection(trying, opened).link.kind, 'live');
});

test('a restart that was waited for is named, over all generations that passed, until all is here', () => {
  const again: ConnectionEvent = { kind: 'restarted', from: 42, to: 43 };
  const state = after(opened, lost, patienceOver, restarted, again, opened);
  assert.deepEqual(state.link, { kind: 'catching-up', from: 41, to: 43 });
  const caughtUp = nextConnection(state, { kind: 'caught-up' });
  assert.equal(caughtUp.link.kind, 'live');
  // The next drop is one of its own.
  const next = [lost, patienceOver, opened].reduce(nextConnection, caughtUp);
  assert.equal(next.link.kind, 'live');
});

test('offline is what the device says, and what is heard all the same says otherwise', () => {
  const offline = after(opened, { kind: 'device-offline' });
  assert.equal(offline.link.kind, 'offline');
  assert.equal(nextConnection(offline, { kind: 'heard' }).link.kind, 'live');
  assert.equal(nextConnection(offline, lost).link.kind, 'offline');
  const online = nextConnection(offline, { kind: 'device-online' });
  assert.equal(online.link.kind, 'reconnecting');
  assert.equal(nextConnection(online, opened).link.kind, 'live');
});

test('a device stays offline until it says otherwise, also after something that was under way has come', () => {
  for (const late of [opened, { kind: 'heard' }] as const) {
    const live = after(opened, lost, { kind: 'device-offline' }, late);
    assert.equal(live.link.kind, 'live');
    const offline = nextConnection(live, lost);
    assert.equal(offline.link.kind, 'offline');
    assert.equal(nextConnection(offline, patienceOver).link.kind, 'offline');
    const online = nextConnection(live, { kind: 'device-online' });
    assert.equal(nextConnection(online, lost).link.kind, 'dropped');
  }
});

test('only a refusal signs out; nothing but signing in leads out of it', () => {
  for (const event of [lost, patienceOver, { kind: 'device-offline' }] as const) {
    assert.notEqual(after(opened, event).link.kind, 'signed-out');
  }
  const out = after(opened, { kind: 'refused' });
  for (const event of [lost, opened, patienceOver, { kind: 'device-offline' }] as const) {
    assert.equal(nextConnection(out, event).link.kind, 'signed-out', event.kind);
  }
  assert.equal(nextConnection(out, { kind: 'signed-in' }).link.kind, 'dropped');
});

test('a gateway that this app is too old for is told until another one answers', () => {
  const tooOld = after(opened, { kind: 'gateway-too-new', gatewayVersion: '2.0.0' });
  assert.deepEqual(tooOld.link, { kind: 'too-old', gatewayVersion: '2.0.0' });
  assert.equal(nextConnection(tooOld, opened).link.kind, 'too-old');
  const fits = [{ kind: 'gateway-fits' }, opened] as const;
  assert.equal(fits.reduce(nextConnection, tooOld).link.kind, 'live');
});

test('each build is offered once, whatever the connection does, and none that the page has itself', () => {
  const second = { kind: 'update-ready', build: 'second' } as const;
  const ready = after(opened, second, lost);
  assert.deepEqual(ready.update, { kind: 'ready', build: 'second' });
  const putOff = nextConnection(ready, { kind: 'update-put-off' });
  assert.equal(nextConnection(putOff, second), putOff);
  const third = nextConnection(putOff, { kind: 'update-ready', build: 'third' });
  assert.deepEqual(third.update, { kind: 'ready', build: 'third' });
  assert.deepEqual(nextConnection(third, { kind: 'update-gone' }).update, { kind: 'none' });
});

test('what changes nothing is the same value, so that nothing is drawn again', () => {
  const live = after(opened);
  for (const event of [opened, { kind: 'heard' }, { kind: 'trying' }, patienceOver] as const) {
    assert.equal(nextConnection(live, event), live, event.kind);
  }
});
