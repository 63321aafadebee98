/*
 * What one call returns of a run's output, fed with events by hand.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, type OutputEvent, outputStart } from '@clawdfather/supervisor';
import { createOutputCollector } from '../../src/exec/output-collector.ts';

const headerBytes = 32;

/* Frames as the journal lays them out, one after the other. */
function frames(
  ...texts: readonly (readonly ['stdout' | 'stderr', string | Uint8Array])[]
): OutputEvent[] {
  let offset = 0;
  return texts.map(([stream, text]) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    offset += headerBytes + bytes.length;
    const cursor = `${offset.toString(36)}.0` as Cursor;
    return { kind: 'output', stream, bytes, atMs: 1, cursor };
  });
}

function collect(events: readonly OutputEvent[], charactersMax?: number) {
  const collector = createOutputCollector(outputStart, charactersMax);
  for (const event of events) collector.push(event);
  return collector;
}

test('all is read: the cursor is behind it', () => {
  const collector = collect(frames(['stdout', 'one\n'], ['stderr', 'two\n']));
  const { output, cursor, truncated, notes } = collector.result(false);
  assert.deepEqual(
    [output, cursor, truncated, notes],
    ['one\ntwo\n', collector.reached, undefined, []],
  );
});

test('half a character is left for the next call, in the frame it is in', () => {
  const collector = collect(frames(['stdout', 'ab'], ['stdout', Uint8Array.of(0x63, 0xc3)]));
  const { output, cursor } = collector.result(false);
  assert.deepEqual([output, cursor], ['abc', `${(headerBytes + 2).toString(36)}.1`]);
  assert.equal(collector.result(true).output, 'abc\ufffd', 'nothing follows any more');
});

test('a sequence in single bytes is left from its beginning', () => {
  const events = frames(['stdout', 'a'], ['stdout', '\u001b'], ['stdout', '['], ['stdout', '3']);
  const { output, cursor } = collect(events).result(false);
  assert.deepEqual([output, cursor], ['a', events[0]?.cursor]);
});

test('one stream in the middle of a character does not spoil the other', () => {
  const events = frames(
    ['stdout', Uint8Array.of(0x61, 0xc3)],
    ['stderr', 'error\n'],
    ['stdout', Uint8Array.of(0xa9, 0x0a)],
  );
  assert.equal(collect(events).result(true).output, 'aerror\né\n');
});

test('the tail is kept, from the beginning of a line, and says what was left out and from where', () => {
  const text = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join('');
  const { output, truncated } = collect(frames(['stdout', text]), 100).result(true);
  assert.ok(output.length <= 100 && output.endsWith('line 998\nline 999\n'));
  assert.equal(truncated?.fromCursor, outputStart);
  assert.ok((truncated?.droppedBytes ?? 0) >= text.length - 100);
});

test('gaps, damage and lost ends are noted', () => {
  const collector = createOutputCollector(outputStart);
  collector.push({ kind: 'gap', missedBytes: 77, cursor: '2a.0' as Cursor });
  collector.push({ kind: 'damaged', missedBytes: 88, cursor: '2a.0' as Cursor });
  collector.push({ kind: 'tail-lost', missedBytes: 0, cursor: '2a.0' as Cursor });
  const { notes } = collector.result(true);
  assert.match(notes[0] ?? '', /77 bytes/);
  assert.match(notes[1] ?? '', /88 bytes .* cut, deleted or altered/);
  assert.equal(notes.length, 3);
});
