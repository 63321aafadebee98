/*
 * What is said of an agent whose process ends in the middle of a turn.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentEnd } from '../../src/threads/agent-end.ts';
import { conversationOf } from '../../src/threads/conversation.ts';
import { factOf } from '../../src/threads/thread-fact.ts';
import type { ThreadEvent } from '../../src/threads/thread-types.ts';

const message = 'the agent ended with code 4';
const ended = eventOf('status', { event: 'agent-ended', reason: 'exit', message });
const failed = eventOf('status', { event: 'failed', result: { code: 'error', message } });
const completed = eventOf('status', { event: 'completed', result: { code: 'success' } });
const queued = eventOf('status', { event: 'queued', position: 1 });

function eventOf(type: ThreadEvent['type'], payload: ThreadEvent['payload']): ThreadEvent {
  return { seq: 1, turn_id: 'turn', type, payload, at: '2026-11-18T00:00:00.000Z' };
}

function wrote(text: string): ThreadEvent {
  return eventOf('noise', { stream: 'stderr', text, droppedBytes: 0 });
}

function told(...events: readonly ThreadEvent[]): readonly string[] {
  const agentEnd = new AgentEnd();
  return events.flatMap((event) => agentEnd.take(event, factOf(event)) ?? []);
}

test('the end of the turn says it, after the last lines that the agent wrote', () => {
  assert.deepEqual(told(ended, failed), []);
  assert.deepEqual(told(ended, completed), []);
  assert.deepEqual(told(wrote('no mo'), wrote('ney \u001b\nleft'), ended, failed), [
    'clf: the agent wrote\n  | no money \\x1b\n  | left\n',
  ]);
});

test('nothing of it is shown while the agent lives, or where the turn is completed', () => {
  assert.deepEqual(told(wrote('a warning\n'), failed), []);
  assert.deepEqual(told(wrote('a warning\n'), ended, completed), []);
});

test('only the last lines are kept', () => {
  const [text = ''] = told(wrote(`first\n${'line\n'.repeat(100)}last\n`), ended, failed);
  assert.match(text, /last\n$/);
  assert.doesNotMatch(text, /first/);
  assert.ok(text.split('\n').length < 20);
});

test('where the turn goes on, it is said that the agent has ended', () => {
  assert.deepEqual(told(ended, queued), [`clf: ${message}\n`]);
});

test('a page of the conversation says it once', () => {
  assert.deepEqual(conversationOf([ended, failed]).notices, []);
  assert.equal(conversationOf([ended, queued]).notices.length, 1);
});
