/*
 * The order of conversations in their list, and what the inbox tells of them only once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiptsOf, whyOfTurn } from '../../src/approvals/inbox-words.ts';
import type { Thread } from '../../src/text/thread-words.ts';
import { groupThreads, noFilter } from '../../src/thread/threads/group-threads.ts';

const thread = (id: string, more: Partial<Thread> = {}) =>
  ({
    id,
    title: id,
    agent: 'claude',
    status: 'ready',
    connection_id: null,
    directory: '/work',
    last_seq: 9,
    seen_seq: 9,
    last_result_code: 'success',
    pinned_at: null,
    ...more,
  }) as Thread;

test('pinned ones come first on every device, an archived one is put away also if it is pinned', () => {
  const pinned_at = '2026-11-18T10:00:00.000Z';
  const threads = [
    thread('done'),
    thread('old', { status: 'archived', pinned_at }),
    thread('works', { status: 'running' }),
    thread('pinned', { status: 'running', pinned_at }),
    thread('asks', { status: 'running' }),
  ];
  const groups = groupThreads({ threads, asking: new Set(['asks']) }, noFilter);
  assert.deepEqual(
    groups.map(({ name, threads: found }) => [name, found.map(({ id }) => id)]),
    [
      ['Pinned', ['pinned']],
      ['Needs you', ['asks']],
      ['Working', ['works']],
      ['Done', ['done']],
      ['Archived', ['old']],
    ],
  );
});

test('what failed needs you until it was looked at, and is never called done', () => {
  const last_result_code = 'error';
  const threads = [
    thread('seen', { last_result_code }),
    thread('unseen', { last_result_code, seen_seq: 8 }),
    thread('tried again', { last_result_code, seen_seq: 8, status: 'running' }),
    thread('stopped', { last_result_code: 'aborted', seen_seq: 8 }),
    thread('new', { last_result_code: null }),
  ];
  assert.deepEqual(
    groupThreads({ threads, asking: new Set() }, noFilter).map(({ name, threads: found }) => [
      name,
      found.map(({ id }) => id),
    ]),
    [
      ['Needs you', ['unseen']],
      ['Working', ['tried again']],
      ['Failed', ['seen']],
      ['Done', ['stopped', 'new']],
    ],
  );
});

test('a thread that went on is in the inbox once: where it needs you, or as a receipt', () => {
  const of = (id: string) => ({ id, title: id, agent: 'claude', connection_id: null });
  const went = (id: string) =>
    ({ thread: of(id), status: 'ready', seen_seq: 1, new_events: 3, at: '' }) as const;
  const inbox = {
    approvals: [{ thread: of('asks') }],
    questions: [],
    failed: [{ thread: null }],
    done: [{ thread: of('done') }],
    working: [{ thread: of('works') }],
    went_on: ['asks', 'done', 'works', 'stopped'].map(went),
  } as unknown as Parameters<typeof receiptsOf>[0];
  assert.deepEqual(
    receiptsOf(inbox).map(({ thread: { id } }) => id),
    ['stopped'],
  );
});

test('why a turn failed is said in words, with what ended its agent', () => {
  assert.equal(whyOfTurn('error', null), 'the agent reported an error');
  assert.equal(
    whyOfTurn('OPENCLAW_GATEWAY_LOST', 'out-of-memory'),
    'its machine did not answer (out of memory)',
  );
  assert.equal(whyOfTurn(null, null), 'why is not known');
});
