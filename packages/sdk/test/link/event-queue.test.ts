/*
 * The queue between a socket and a reader: order, room, and its end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventQueue, queuedBytesMax } from '../../src/link/event-queue.ts';
import type { TerminalEvent } from '../../src/terminal/terminal-event.ts';

function openQueue() {
  const pressure: string[] = [];
  const queue = createEventQueue<TerminalEvent>({
    bytesOf: (event) => (event.kind === 'output' ? event.bytes.length : 0),
    onFull: () => void pressure.push('full'),
    onRoom: () => void pressure.push('room'),
  });
  return { queue, pressure, reader: queue.read() };
}

const output = (size: number, cursor = '1.0'): TerminalEvent => ({
  kind: 'output',
  stream: 'stdout',
  bytes: new Uint8Array(size),
  cursor,
});

const cursorOf = (event: TerminalEvent | void): string | undefined =>
  event !== undefined && 'cursor' in event ? event.cursor : undefined;

test('events come in order, also to a reader who was there first', async () => {
  const { queue, reader } = openQueue();
  const first = reader.next();
  queue.push(output(1, 'a'));
  queue.push(output(1, 'b'));
  queue.end();
  assert.equal(cursorOf((await first).value), 'a');
  assert.equal(cursorOf((await reader.next()).value), 'b');
  assert.deepEqual(await reader.next(), { done: true, value: undefined });
});

test('an error comes after what was queued', async () => {
  const { queue, reader } = openQueue();
  queue.push(output(1, 'a'));
  const error = new Error('why');
  queue.end({ error });
  queue.end();
  queue.push(output(1, 'late'));
  assert.equal(cursorOf((await reader.next()).value), 'a');
  await assert.rejects(reader.next(), error);
});

test('what is cleared is not read', async () => {
  const { queue, reader } = openQueue();
  queue.push(output(1));
  queue.clear();
  queue.end();
  assert.equal((await reader.next()).done, true);
});

test('it is full once, and has room when half of it is read', async () => {
  const { queue, reader, pressure } = openQueue();
  for (let count = 0; count < 40; count += 1) queue.push(output(queuedBytesMax / 32));
  assert.deepEqual(pressure, ['full']);
  assert.ok(queue.isFull);
  for (let count = 0; count < 40; count += 1) await reader.next();
  assert.deepEqual(pressure, ['full', 'room']);
  assert.ok(!queue.isFull);
});

test('very many small events fill it too', () => {
  const { queue, pressure } = openQueue();
  for (let count = 0; pressure.length === 0; count += 1) {
    assert.ok(count < 20_000, 'they are counted');
    queue.push({ kind: 'resize', cols: 1, rows: 1, cursor: '1.0' });
  }
});
