/*
 * What a block says as text: the original of it, and as a quotation what is shown of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '@clawdfather/protocol/history';
import { isPartOfIt, quoteOf, textOfBlock } from '../../src/thread/rows/block-text.ts';

const place = { turn_id: 't', first_seq: 5, last_seq: 6, at: '', last_at: '', cut: [] };

function toolOf(call: Readonly<Record<string, unknown>>): Block {
  return { kind: 'tool', ...place, tool_call_id: 'c', call, is_begun: true, updates: 1 };
}

function textBlock(text: string, begins: number | null): Block {
  const end = { is_complete: begins !== null, begins_seq: begins, bytes: null, sha256: null };
  return { kind: 'text', ...place, role: 'agent', message_id: null, text, ...end };
}

test('a message of a person is its words, without the files that went along', () => {
  const content = [
    { type: 'text', text: 'one' },
    { type: 'resource_link', name: 'a.txt', uri: 'file:///a.txt' },
    { type: 'text', text: 'two\u200b' },
  ];
  assert.equal(textOfBlock({ kind: 'user', ...place, content }), 'one\ntwo\u200b');
});

test('a call of a tool is its title, what it was given, what it changed, and what it gave', () => {
  const content = [
    { type: 'diff', path: 'a.ts', oldText: 'one\n', newText: 'two\nthree\n' },
    { type: 'terminal', terminalId: 'run-1' },
    { type: 'content', content: { type: 'text', text: 'done' } },
  ];
  const call = { title: 'Edit `a.ts`', rawInput: { path: 'a.ts' }, content };
  assert.equal(
    textOfBlock(toolOf(call)),
    'Edit `a.ts`\n{\n  "path": "a.ts"\n}\na.ts\n- one\n+ two\n+ three\ndone',
  );
  assert.equal(textOfBlock(toolOf({})), 'tool');
});

test('a quotation has what is shown, line by line, and ends before what is typed next', () => {
  assert.equal(quoteOf('one\r\n\n> two\u202e\n\n'), '> one\n>\n> > two\\u202e\n\n');
});

test('it is told where only a part is here: something is cut out of it, or its beginning is on an older page', () => {
  assert.equal(isPartOfIt(textBlock('whole', 5)), false);
  assert.equal(isPartOfIt(textBlock('still written', null)), false);
  assert.equal(isPartOfIt(textBlock('the end of it', 2)), true);
  assert.equal(isPartOfIt({ ...toolOf({}), cut: [{ seq: 5, bytes: 100_000 }] }), true);
});
