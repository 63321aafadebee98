/*
 * Who is told what, when calls and ends cross each other. The ends come when a test says so; nothing is timed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@clawdfather/kit';
import type { RunEnd } from '../../src/index.ts';
import { createExitNotices, type ExitNotices } from '../../src/mcp/exit-notices.ts';
import { followedRunsMax, noticesPerResultMax } from '../../src/mcp/limits.ts';
import { newsOf } from '../../src/mcp/result-news.ts';

interface Rig {
  readonly notices: ExitNotices;
  /* In order. */
  readonly pushed: string[];
  /* Runs that are waited for. */
  readonly waiting: ReadonlyMap<string, PromiseWithResolvers<RunEnd>>;
  readonly end: (runId: string) => Promise<void>;
  /* A call that says that the run goes on. */
  readonly background: (callId: number, runId: string) => void;
}

function createRig(): Rig {
  const pushed: string[] = [];
  const waiting = new Map<string, PromiseWithResolvers<RunEnd>>();
  const notices = createExitNotices({
    waitForEnd: (runId, signal) => {
      const deferred = Promise.withResolvers<RunEnd>();
      waiting.set(runId, deferred);
      signal.addEventListener('abort', () => {
        waiting.delete(runId);
        deferred.reject(signal.reason);
      });
      return deferred.promise;
    },
    push: async ({ runId }) => void pushed.push(runId),
    log: silentLog,
  });
  return {
    notices,
    pushed,
    waiting,
    end: async (runId) => {
      const result = { status: 'denied', cause: 'policy', rule: 'no', by: 'test' } as const;
      waiting.get(runId)?.resolve({ kind: 'denied', command: 'touch x', result });
      waiting.delete(runId);
      await Promise.resolve();
      await Promise.resolve();
    },
    background: (callId, runId) => {
      notices.begin(callId);
      notices.tell(callId, { tells: [], follows: [runId] });
      notices.carry(callId);
      notices.answered(callId);
    },
  };
}

function idsOf(notices: readonly { readonly runId: string }[]): readonly string[] {
  return notices.map(({ runId }) => runId);
}

test('an end is pushed at once and named by the next answer, each once', async () => {
  const { notices, pushed, end, background } = createRig();
  background(1, 'run-a');
  await end('run-a');
  assert.deepEqual(pushed, ['run-a']);
  notices.begin(2);
  assert.deepEqual(idsOf(notices.carry(2)), ['run-a']);
  notices.begin(3);
  assert.deepEqual(notices.carry(3), [], 'it is in the answer of another call');
  notices.answered(2);
  notices.answered(3);
  notices.begin(4);
  assert.deepEqual(notices.carry(4), []);
  assert.deepEqual(pushed, ['run-a']);
});

test('while a call about the run is under way its answer comes first, and may be all there is to tell', async () => {
  const { notices, pushed, end, background, waiting } = createRig();
  background(1, 'run-a');
  notices.begin(2, 'run-');
  await end('run-a');
  notices.begin(3);
  assert.deepEqual([pushed, notices.carry(3)], [[], []]);
  notices.answered(3);
  notices.tell(2, { tells: ['run-a'], follows: [] });
  assert.deepEqual(notices.carry(2), []);
  notices.answered(2);
  assert.deepEqual(pushed, []);

  background(4, 'run-b');
  notices.begin(5, 'run-b');
  notices.tell(5, { tells: ['run-b'], follows: [] });
  notices.answered(5);
  assert.ok(!waiting.has('run-b'), 'what was told is no longer waited for');
  background(6, 'run-b');
  assert.ok(!waiting.has('run-b'), 'a late answer does not have it told again');
});

test('an answer that says nothing of the end, or never comes, has told nothing', async () => {
  const { notices, pushed, end, background } = createRig();
  background(1, 'run-a');
  background(2, 'run-b');
  notices.begin(3, 'run-a');
  notices.tell(3, { tells: [], follows: ['run-a'] });
  await end('run-a');
  notices.answered(3);
  assert.deepEqual(pushed, ['run-a'], 'the poll was answered with output a moment before');

  notices.begin(4, 'run-b');
  await end('run-b');
  notices.tell(4, { tells: ['run-b'], follows: [] });
  assert.deepEqual(idsOf(notices.carry(4)), ['run-a']);
  notices.lost(4);
  assert.deepEqual(pushed, ['run-a', 'run-b']);
  notices.begin(5);
  assert.deepEqual(idsOf(notices.carry(5)), ['run-a', 'run-b']);
});

test('nothing is pushed before the first answer, and nothing after the close', async () => {
  const { notices, pushed, end, background, waiting } = createRig();
  notices.follow('run-a');
  notices.follow('run-b');
  await end('run-a');
  assert.deepEqual(pushed, []);
  notices.answered('initialize');
  assert.deepEqual(pushed, ['run-a']);
  notices.close();
  assert.equal(waiting.size, 0, 'nobody waits for anything any more');
  background(9, 'run-c');
  notices.follow('run-d');
  assert.equal(waiting.size, 0);
});

test('a listener that comes after the end is sent it', async () => {
  const { notices, pushed, end, background } = createRig();
  background(1, 'run-a');
  await end('run-a');
  notices.subscribed('run-a');
  assert.deepEqual(pushed, ['run-a', 'run-a'], 'what came before reached nobody');
  notices.begin(2);
  notices.carry(2);
  notices.answered(2);
  notices.subscribed('run-a');
  assert.equal(pushed.length, 2);
});

test('many ends come in several answers; what cannot be waited for is forgotten; there is a bound', async () => {
  const { notices, end, waiting } = createRig();
  notices.answered(0);
  const ids = Array.from({ length: noticesPerResultMax + 3 }, (_, index) => `run-${index}`);
  for (const runId of ids) notices.follow(runId);
  for (const runId of ids) await end(runId);
  const named: string[] = [];
  for (const [callId, count] of [
    [1, noticesPerResultMax],
    [2, 3],
    [3, 0],
  ] as const) {
    notices.begin(callId);
    const carried = idsOf(notices.carry(callId));
    assert.equal(carried.length, count);
    named.push(...carried);
    notices.answered(callId);
  }
  assert.deepEqual(named, ids);

  notices.follow('stranger');
  waiting.get('stranger')?.reject(new Error('unknown run'));
  await Promise.resolve();
  await Promise.resolve();
  notices.begin(4);
  assert.deepEqual(notices.carry(4), []);

  waiting.keys().forEach((runId) => assert.equal(runId, 'stranger'));
  for (let index = 0; index < followedRunsMax + 10; index += 1) notices.follow(`more-${index}`);
  const followed = [...waiting.keys()].filter((runId) => runId.startsWith('more-'));
  assert.equal(followed.length, followedRunsMax, 'those that were told made room');
  assert.equal(followed.at(-1), `more-${followedRunsMax - 1}`);
});

test('results say which runs have ended and which go on', () => {
  const ended = { isGone: true, survivors: [] };
  const run = { command: 'x', cwd: '/', host: 'local', pty: false, leftovers: 0 };
  assert.deepEqual(newsOf({ status: 'denied', cause: 'policy', rule: 'r', by: 'b' }), {
    tells: [],
    follows: [],
  });
  const changed = { status: 'denied', cause: 'changed', runId: 'a', rule: 'r', by: 'b' } as const;
  assert.deepEqual(newsOf({ ...changed, askedAgain: { approvalId: 'n', runId: 'next' } }), {
    tells: ['a'],
    follows: ['next'],
  });
  assert.deepEqual(newsOf({ action: 'kill', runId: 'a', ...ended }).tells, ['a']);
  assert.deepEqual(newsOf({ action: 'kill', runId: 'a', ...ended, isGone: false }).tells, []);
  assert.deepEqual(newsOf({ action: 'clear', runId: 'a' }).tells, ['a']);
  assert.deepEqual(newsOf({ action: 'submit', runId: 'a' }), { tells: [], follows: [] });
  const list = newsOf({
    action: 'list',
    isMore: false,
    runs: [
      { ...run, runId: 'a', state: 'exited' },
      { ...run, runId: 'b', state: 'running' },
    ],
  });
  assert.deepEqual(list, { tells: ['a'], follows: [] });
  const held = { approvalId: 'x', runId: 'a', why: 'w', expiresAt: '2026-01-01T00:00:00.000Z' };
  assert.deepEqual(newsOf({ status: 'approval-pending', ...held }).follows, ['a']);
});
