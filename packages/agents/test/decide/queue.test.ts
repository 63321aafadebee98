/*
 * Decisions about turns that wait: ready is the first of a thread in which none runs; what waits can be moved and edited, what runs cannot.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  admitTurn,
  cancelTurn,
  editTurn,
  enqueueTurn,
  expireTurn,
  moveTurn,
  type NewTurn,
  spotBefore,
  type ThreadRows,
} from '@clawdfather/agents';

const thread = {
  id: 'thread',
  version: 1,
  agent: 'claude',
  cwd: '/',
  title: 't',
  status: 'ready',
  lastSeq: 0,
  backend: 'acp',
  ownerId: 'thread',
  instanceId: 'here',
  createdAtMs: 0,
  updatedAtMs: 0,
} as unknown as ThreadRows['thread'];

const empty: ThreadRows = { thread, calls: new Map(), asks: new Map(), queue: [] };

function said(
  rows: ThreadRows,
  id: string,
  { atMs = 10, ...given }: Partial<NewTurn> & { readonly atMs?: number } = {},
): ThreadRows {
  const turn = { id, prompt: [], loadClass: 'long_task', requester: 'r', ...given } as const;
  return enqueueTurn(rows, turn, atMs).rows;
}

const ids = ({ queue }: ThreadRows): string[] => queue.map(({ id }) => id);
const ready = ({ queue }: ThreadRows): (number | undefined)[] =>
  queue.map(({ readyAtMs }) => readyAtMs);

test('the first of a thread is ready, from the moment that nothing is before it', () => {
  const two = said(said(empty, 'a'), 'b', { atMs: 11 });
  assert.deepEqual(ready(two), [10, undefined]);
  const admitted = admitTurn(two, 20)?.rows;
  assert.ok(admitted);
  assert.deepEqual(ready(admitted), [undefined]);
  assert.equal(admitted.turn?.readyAtMs, undefined);
  const freed = cancelTurn(admitted, { turnId: 'a', cause: 'asked', actor: 'x' }, 30)?.rows;
  assert.ok(freed);
  assert.deepEqual(ready(freed), [30]);
  assert.equal(expireTurn(two, { turnId: 'b', message: 'm' }, 40), undefined, 'it waits for a');
  const expired = expireTurn(freed, { turnId: 'b', message: 'm' }, 40);
  assert.deepEqual(expired?.endedTurns[0]?.result, {
    code: 'OPENCLAW_GATEWAY_BUSY',
    cause: 'queue_timeout',
    message: 'm',
  });
  assert.equal(expired?.endedTurns[0]?.readyAtMs, undefined);
});

test('a change that only adds text leaves the queue the same object', () => {
  const two = said(said(empty, 'a'), 'b');
  const edited = editTurn(two, { turnId: 'b', loadClass: 'short_task' }, 20)?.rows;
  assert.equal(edited?.queue[0], two.queue[0], 'the one that is not edited stays');
});

test('what is said later in a thread has no higher priority than what it waits for', () => {
  const rows = said(said(empty, 'a', { priority: -2 }), 'b', { priority: 5, queueKey: 1 });
  assert.deepEqual(ids(rows), ['a', 'b']);
  assert.deepEqual(
    rows.queue.map(({ priority }) => priority),
    [-2, -2],
  );
  assert.ok(rows.queue[0]!.queueKey < rows.queue[1]!.queueKey);
});

test('a move changes the order of the thread, and who is ready', () => {
  const three = said(said(said(empty, 'a'), 'b'), 'c');
  const spot = spotBefore(three.queue[0]!, undefined)!;
  const moved = moveTurn(three, { turnId: 'c', spot }, 50)?.rows;
  assert.ok(moved);
  assert.deepEqual(ids(moved), ['c', 'a', 'b']);
  assert.deepEqual(ready(moved), [50, undefined, undefined]);
});

test('what runs is neither moved nor edited, and a time of its own is waited for', () => {
  const rows = said(empty, 'a', { notBeforeMs: 100 });
  assert.equal(admitTurn(rows, 99), undefined);
  const edit = { turnId: 'a', prompt: [{ type: 'text', text: 'else' }], notBeforeMs: null };
  const edited = editTurn(rows, edit, 50)?.rows;
  assert.ok(edited);
  const running = admitTurn(edited, 50)?.rows;
  assert.ok(running);
  assert.deepEqual(running.turn?.prompt, edit.prompt);
  assert.equal(editTurn(running, edit, 60), undefined);
  const spot = { priority: 0, queueKey: 1 };
  assert.equal(moveTurn(running, { turnId: 'a', spot }, 60), undefined);
});
