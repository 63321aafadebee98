/*
 * What a person at the gateway's terminal is told: things that matter, in sentences, and nothing that could drive the terminal.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEverything, formatEvent, type LoggedEvent } from '../../src/gateway/event-text.ts';

const said = (
  name: string,
  fields: LoggedEvent['fields'] = {},
  level: LoggedEvent['level'] = 'info',
): string | undefined => formatEvent({ level, name, fields });

test('things that matter are sentences', () => {
  assert.equal(said('runs.adopted', { adopted: 3, ended: 0 }), '3 runs adopted');
  assert.equal(
    said('runs.adopted', { adopted: 1, ended: 2 }),
    '1 run adopted, 2 runs ended meanwhile',
  );
  assert.equal(said('runs.adopted', { adopted: 0, ended: 1 }), '1 run ended meanwhile');
  assert.equal(said('auth.signed-in', { device: 'iPhone', provider: 'link' }), 'signed in: iPhone');
  assert.equal(
    said('auth.signed-in', { device: 'iPhone', provider: 'github' }),
    'signed in: iPhone, with GitHub',
  );
  assert.equal(said('auth.signed-out', { device: 'iPhone' }), 'signed out: iPhone');
  assert.equal(said('auth.signed-out', { others: 2 }), 'signed out: 2 other devices');
  assert.equal(
    said('approval.waiting', { approvalId: 'a', runId: 'r' }),
    'a command waits for your decision: clf approvals',
  );
  assert.equal(
    said('gateway.stop-asked', { why: 'SIGINT' }),
    'stopping (SIGINT); what runs goes on',
  );
  assert.equal(said('gateway.stopped'), 'stopped');
  assert.equal(said('health.changed', { to: 'ok' }), 'all is well again');
  assert.equal(
    said('health.changed', { to: 'degraded', reasons: ['disk', 'database'] }, 'warn'),
    'degraded: disk, database',
  );
});

test('the inner life of the gateway is not told', () => {
  for (const name of [
    'gateway.started',
    'gateway.stopping',
    'run.spawn',
    'run.started',
    'run.exit',
    'run.reconcile',
    'session.start',
    'run.blocked',
    'toString',
  ]) {
    assert.equal(said(name, { runId: '0123456789abcdef' }), undefined, name);
  }
});

test('warnings and errors are always told, with the run and the reason', () => {
  const fields = { runId: '0123456789abcdef', error: new Error('disk full') };
  assert.equal(
    said('run.shim-lost', fields, 'warn'),
    'what held a run has died; how the run ended is not known (run 0123456789ab): disk full',
  );
  assert.equal(said('run.lease-stolen', fields, 'warn'), undefined, 'it is told as adopted');
  assert.equal(said('never.seen', { error: 'odd' }, 'error'), 'never.seen: odd');
});

test('what others wrote cannot drive the terminal, and is not endless', () => {
  assert.equal(said('auth.signed-in', { device: 'a\u001b[2J\nb' }), 'signed in: a\\x1b[2J\\nb');
  const long = said('auth.signed-in', { device: 'x'.repeat(1_000) }) ?? '';
  assert.ok(long.length < 200);
  assert.ok(!formatEverything({ name: 'x', fields: { a: '\u001b[2J' } }).includes('\u001b'));
});
