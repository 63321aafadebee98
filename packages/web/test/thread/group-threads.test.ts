/*
 * The order of conversations in their list, and what the inbox tells of them only once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesHosts, receiptsOf, whyOfTurn } from '../../src/approvals/inbox-words.ts';
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

test('names of hosts are asked for as soon as any row is about one', () => {
  const none = { hosts_lost: [], approvals: [], questions: [], failed: [], done: [] };
  const empty = { ...none, working: [], went_on: [] } as Parameters<typeof namesHosts>[0];
  const thread = { id: 't', title: 't', agent: 'claude', connection_id: null };
  const far = { thread: { ...thread, connection_id: 'far' } };
  assert.equal(namesHosts(empty), false);
  for (const group of ['approvals', 'questions', 'failed', 'done', 'working', 'went_on']) {
    const withOne = (one: object) => ({ ...empty, [group]: [one] }) as unknown as typeof empty;
    assert.equal(namesHosts(withOne({ thread, host: null })), false, group);
    assert.equal(namesHosts(withOne({ ...far, host: null })), true, group);
  }
});

test('why a turn failed is said in words, with what ended its agent', () => {
  assert.equal(whyOfTurn('error', null), 'the agent reported an error');
  assert.equal(
    whyOfTurn('OPENCLAW_GATEWAY_LOST', 'out-of-memory'),
    'its machine did not answer (out of memory)',
  );
  assert.equal(whyOfTurn(null, null), 'why is not known');
});
