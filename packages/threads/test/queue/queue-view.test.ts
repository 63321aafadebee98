/*
 * Why a turn waits, and how long a client asks after it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunningTurn, WaitingTurn } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import { pollFacts } from '../../src/queue/poll-facts.ts';
import { usualQueueLimits } from '../../src/queue/queue-limits.ts';
import { type QueueNow, queueReason, queueReasonCodes } from '../../src/queue/queue-view.ts';

const ann = 'ann' as AccountId;
const minuteMs = 60_000;

const turn: WaitingTurn = {
  turnId: 'turn',
  threadId: 'thread',
  agent: 'claude',
  priority: 0,
  queueKey: 1,
  queuedAtMs: 0,
  readyAtMs: 0,
};

function running(given: Partial<RunningTurn> = {}): RunningTurn {
  const names = { accountId: 'bob' as AccountId, threadId: 'other', turnId: 'o', agent: 'codex' };
  return { ...names, instanceId: 'here', startedAtMs: 0, ...given };
}

function reason(given: Partial<WaitingTurn>, now: Partial<QueueNow> = {}) {
  const { agent, account, gateway, memory } = usualQueueLimits;
  const state: QueueNow = {
    accountId: ann,
    instanceId: 'here',
    limits: { agent, account, gateway, memory },
    running: [],
    atMs: 1_000,
    startsMax: 1,
    ...now,
  };
  return queueReason({ ...turn, ...given }, state);
}

const times = (count: number, given: Partial<RunningTurn>) =>
  Array.from({ length: count }, () => running(given));

test('every reason has its numbers and its sentence', () => {
  const seen = [
    reason({}, { running: [running({ accountId: ann, threadId: 'thread' })] }),
    reason({ readyAtMs: undefined }),
    reason({ notBeforeMs: 1_001 }),
    reason({}, { running: times(5, { agent: 'claude' }) }),
    reason({}, { running: times(10, { accountId: ann }) }),
    reason({}, { running: times(20, {}) }),
    reason({}, { startsMax: 0, availableBytes: 100 * 1024 ** 2 }),
    reason({ agentInstanceId: 'there' }),
    reason({}),
  ];
  assert.deepEqual(
    seen.map(({ code }) => code),
    queueReasonCodes,
  );
  assert.deepEqual(seen[3], {
    code: 'agent-lane-full',
    active: 5,
    activeMax: 5,
    message: '5 of 5 claude turns are running',
  });
  assert.equal(seen[2]?.atMs, 1_001);
  assert.equal(
    seen[6]?.message,
    'no agent is started: 100 MiB of memory are available, and 512 MiB have to stay free',
  );
});

test('a turn whose agent is on a host waits for no memory here', () => {
  assert.equal(reason({ isOnHost: true }, { startsMax: 0, availableBytes: 1 }).code, 'next');
});

test('a thread of the same name in another account holds nobody up', () => {
  const other = running({ threadId: 'thread' });
  assert.equal(reason({}, { running: [other] }).code, 'next');
});

test('turns of other gateways are not in the way of this one', () => {
  assert.equal(reason({}, { running: times(20, { instanceId: 'there' }) }).code, 'next');
});

test('without memory a turn goes on whose agent runs here', () => {
  assert.equal(reason({ agentInstanceId: 'here' }, { startsMax: 0 }).code, 'next');
});

test('a client asks until the deadline and five minutes more', () => {
  const now = { atMs: 1_000, longestWaitMs: 10 * minuteMs };
  const prompted = { status: 'running', loadClass: 'short_task', deadlineAtMs: 9_000 } as const;
  assert.deepEqual(pollFacts(prompted, now), {
    intervalMs: 2_000,
    untilMs: 9_000 + 5 * minuteMs,
    leftMs: 9_000 + 5 * minuteMs - now.atMs,
  });
  for (const [loadClass, minutes] of [
    ['short_task', 10],
    ['long_task', 30],
    ['complex_chain_task', 60],
  ] as const) {
    const waiting = pollFacts({ status: 'queued', loadClass }, now);
    assert.ok((waiting?.untilMs ?? 0) > now.atMs + (10 + minutes + 5) * minuteMs, loadClass);
  }
  for (const status of ['completed', 'failed', 'cancelled', 'interrupted'] as const) {
    assert.equal(pollFacts({ ...prompted, status }, now), undefined);
  }
});
