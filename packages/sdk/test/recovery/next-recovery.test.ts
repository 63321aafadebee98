/*
 * Every state of a watched turn with every event, the codes that each way to fail has, and that what the gateway has said never changes back.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  mayRetry,
  nextRecovery,
  type Recovery,
  recoveryBegins,
  recoveryCodes,
  type RecoveryEvent,
  type TurnFound,
} from '../../src/recovery/next-recovery.ts';
import { recoveryText } from '../../src/recovery/recovery-text.ts';

const untilMs = 1_000;
type Seen = Pick<TurnFound, 'status' | 'code'>;
const turn = (status: TurnFound['status'], code?: string): Seen => ({ status, code });
const found = (of: Seen, atMs = 10, pollUntilMs = untilMs): RecoveryEvent => {
  return { kind: 'found', turn: { ...of, pollLeftMs: pollUntilMs - atMs }, atMs };
};
const lost: RecoveryEvent = { kind: 'lost', atMs: 5 };
const unanswered = (atMs: number): RecoveryEvent => ({ kind: 'unanswered', atMs });
const restarted: RecoveryEvent = { kind: 'restarted' };
const retry: RecoveryEvent = { kind: 'retry', atMs: 2_000 };

function after(...events: readonly RecoveryEvent[]): Recovery {
  return events.reduce<Recovery>(nextRecovery, recoveryBegins);
}
const codeAfter = (...events: readonly RecoveryEvent[]): unknown => {
  const state = after(...events);
  return state.kind === 'failed' ? state.code : state.kind;
};

test('the way of the document: running, lost, polling, recovered', () => {
  assert.equal(after(lost).kind, 'lost_connection');
  assert.equal(after(lost, unanswered(6)).kind, 'lost_connection');
  assert.equal(after(lost, found(turn('running'))).kind, 'polling');
  assert.equal(after(lost, found(turn('queued'))).kind, 'polling');
  assert.equal(after(lost, found(turn('running')), unanswered(20)).kind, 'lost_connection');
  assert.equal(after(lost, found(turn('running')), { kind: 'streaming' }).kind, 'running');
  for (const status of ['completed', 'failed', 'cancelled', 'interrupted'] as const) {
    assert.deepEqual(after(lost, found(turn(status, 'success'))), {
      kind: 'recovered',
      status,
      code: 'success',
      isRestarted: false,
    });
  }
});

test('each way to fail has its code', () => {
  const running = found(turn('running'));
  assert.equal(codeAfter(running, lost, unanswered(untilMs + 1)), 'ACP_UNREACHABLE');
  assert.equal(codeAfter(lost, running, unanswered(untilMs + 1)), 'ACP_UNRECOVERABLE');
  assert.equal(codeAfter(lost, found(turn('running'), untilMs + 1)), 'ACP_UNRECOVERABLE');
  assert.equal(codeAfter(lost, { kind: 'not-found' }), 'ACP_SESSION_NOT_FOUND');
  assert.equal(codeAfter(lost, restarted, { kind: 'not-found' }), 'ACP_SESSION_NOT_FOUND');
  const gone = found(turn('interrupted', 'ACP_BRIDGE_RESTART'));
  assert.equal(codeAfter(lost, restarted, gone), 'ACP_BRIDGE_RESTART');
  assert.equal(codeAfter(lost, gone), 'recovered', 'an agent that died is no restart');
  const late = found(turn('failed', 'OPENCLAW_RUN_DEADLINE_EXCEEDED'));
  assert.equal(codeAfter(lost, late), 'OPENCLAW_RUN_DEADLINE_EXCEEDED');
});

test('without a limit of the gateway nothing is given up', () => {
  const unlimited = { status: 'queued', code: undefined, pollLeftMs: undefined } as const;
  const waiting = { kind: 'found', turn: unlimited, atMs: 10 } as const;
  assert.equal(after(waiting, lost, unanswered(Number.MAX_SAFE_INTEGER)).kind, 'lost_connection');
  assert.equal(after(lost, waiting, unanswered(Number.MAX_SAFE_INTEGER)).kind, 'lost_connection');
});

test('what was given up for silence goes on with a retry or the first word; what was said stays', () => {
  const silent = [found(turn('running')), lost, unanswered(untilMs + 1)] as const;
  assert.equal(codeAfter(...silent), 'ACP_UNREACHABLE');
  assert.equal(after(...silent, retry).kind, 'lost_connection');
  assert.equal(after(...silent, { kind: 'streaming' }).kind, 'running');
  assert.equal(after(...silent, found(turn('completed'))).kind, 'recovered');
  assert.equal(after(...silent, found(turn('running'), 2_000, 9_000)).kind, 'polling');
  assert.equal(codeAfter(...silent, unanswered(9_000)), 'ACP_UNREACHABLE');
  assert.equal(codeAfter(lost, { kind: 'not-found' }, retry), 'ACP_SESSION_NOT_FOUND');
});

test('whatever happens: an end is final, a restart is remembered, and every failure has a text', () => {
  const time = fc.integer({ min: 0, max: 2_000 });
  const status = fc.constantFrom(
    'queued',
    'running',
    'completed',
    'failed',
    'cancelled',
    'interrupted',
  );
  const code = fc.constantFrom(undefined, 'success', 'error', ...recoveryCodes);
  const event: fc.Arbitrary<RecoveryEvent> = fc.oneof(
    fc.constantFrom<RecoveryEvent>(
      { kind: 'streaming' },
      { kind: 'not-found' },
      { kind: 'restarted' },
    ),
    fc.record({ kind: fc.constantFrom('lost', 'unanswered', 'retry'), atMs: time }),
    fc.record({
      kind: fc.constant('found' as const),
      atMs: time,
      turn: fc.record({ status, code, pollLeftMs: fc.option(time, { nil: undefined }) }),
    }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let state: Recovery = recoveryBegins;
      for (const one of events) {
        const next = nextRecovery(state, one);
        if (state.kind === 'recovered') assert.equal(next, state);
        if (state.kind === 'failed' && !mayRetry(state.code)) assert.equal(next, state);
        if (state.isRestarted) assert.ok(next.isRestarted);
        // Only its own end, or the gateway's word, is an end: silence alone never is before the limit.
        if (next.kind === 'failed') assert.notEqual(recoveryText(next.code), '');
        if (next.kind === 'recovered' && state.kind !== 'recovered')
          assert.equal(one.kind, 'found');
        state = next;
      }
    }),
  );
});

test('the texts that people know', () => {
  assert.equal(recoveryText('ACP_SESSION_NOT_FOUND'), 'Session expired');
  assert.equal(recoveryText('ACP_UNREACHABLE'), 'Unable to reconnect');
  assert.deepEqual(
    recoveryCodes.filter((code) => mayRetry(code)),
    ['ACP_UNREACHABLE', 'ACP_UNRECOVERABLE'],
  );
});
