/*
 * The thread that a word means.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickThread } from '../../src/threads/find-thread.ts';
import type { Thread } from '../../src/threads/thread-types.ts';

const thread = (id: string, title: string, status: Thread['status'] = 'ready'): Thread => ({
  id,
  title,
  agent: 'fake',
  status,
  connection_id: null,
  directory: '/',
  session_id: null,
  last_seq: 0,
  seen_seq: 0,
  last_turn_id: null,
  last_result_code: null,
  session_key: id,
  agent_id: 'fake',
  backend: 'acp',
  owner_session_key: id,
  spawned_by: null,
  parent_session_key: null,
  ancestor_session_keys: [],
  gateway_instance_id: 'one',
  created_at: '',
  updated_at: '',
});

const build = thread('3k9qv7hd2m5xw0c4', 'fix the build');
const tests = thread('3m9qv7hd2m5xw0c4', 'fix the tests');
const old = thread('0000000000000000', 'fix the build', 'archived');

test('its title comes before a beginning of an id, and of namesakes the open one', () => {
  assert.equal(pickThread([build, tests, old], [], 'fix the build').id, build.id);
  assert.equal(pickThread([tests, old], [], 'fix the build').id, old.id);
  const named = thread('zzzzzzzzzzzzzzzz', '3k9q');
  assert.equal(pickThread([build, named], [build], '3k9q').id, named.id);
  assert.equal(pickThread([build, tests], [tests], '3m').id, tests.id);
});

test('several or none: the error says which there are', () => {
  assert.throws(() => pickThread([build, tests], [build, tests], '3'), {
    code: 'thread-ambiguous',
    hint: /3k9qv7hd2m5xw0c4 \(fix the build\), 3m9/,
  });
  assert.throws(() => pickThread([build], [], 'fix the biuld'), {
    code: 'thread-not-found',
    hint: 'Did you mean fix the build?',
  });
  assert.throws(() => pickThread([thread('1', '')], [], ''), { code: 'thread-not-found' });
});
