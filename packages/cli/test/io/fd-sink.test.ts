/*
 * Writing to descriptors we were given: slow readers, full pipes, no readers.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createFdSink } from '../../src/io/fd-sink.ts';
import { isReaderGone } from '../../src/io/io.ts';
import { isForegroundJob } from '../../src/io/job-control.ts';

const clock = createSystemClock();

/* A pipe with both ends in our hands. */
function openPipe(flags: number): { reader: number; writer: number; close: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'clf-sink-'));
  const path = join(directory, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY | flags);
  rmSync(directory, { recursive: true });
  return {
    reader,
    writer,
    close: () => {
      closeSync(reader);
      closeSync(writer);
    },
  };
}

/* Nothing there yet is nothing read. */
function readNow(fd: number, target: Buffer): number {
  try {
    return readSync(fd, target);
  } catch (error) {
    assert.match(String(error), /EAGAIN/);
    return 0;
  }
}

test('a full pipe does not stop the event loop, and every byte arrives in order', async () => {
  for (const flags of [0, constants.O_NONBLOCK]) {
    const pipe = openPipe(flags);
    const sink = createFdSink({ fd: pipe.writer, isTerminal: false, clock });
    const sent = Buffer.alloc(600_000, 'abcdefghij');
    const written = Promise.all([sink.write(sent.subarray(0, 5)), sink.write(sent.subarray(5))]);
    let ticks = 0;
    const received: Buffer[] = [];
    let length = 0;
    while (length < sent.length) {
      await clock.sleep(1);
      ticks += 1;
      const part = Buffer.alloc(65_536);
      const count = readNow(pipe.reader, part);
      received.push(part.subarray(0, count));
      length += count;
    }
    await written;
    assert.ok(ticks > 3);
    assert.ok(Buffer.concat(received).equals(sent));
    pipe.close();
  }
});

test('a reader that is gone is told as such', async () => {
  const pipe = openPipe(0);
  closeSync(pipe.reader);
  const sink = createFdSink({ fd: pipe.writer, isTerminal: false, clock });
  await assert.rejects(sink.write('x'), (error) => isReaderGone(error));
  // One failure does not poison the next write: it fails by itself.
  await assert.rejects(sink.write('y'), (error) => isReaderGone(error));
  closeSync(pipe.writer);
});

test('a background job is recognised, whatever the command is called', () => {
  const stat = (group: number, terminal: number): string =>
    `10 (a) b (c) S 1 ${group} 10 34816 ${terminal} 4194304 0`;
  assert.equal(isForegroundJob(stat(10, 10)), true);
  assert.equal(isForegroundJob(stat(10, 99)), false);
  assert.equal(isForegroundJob(stat(10, -1)), true, 'no terminal at all');
  assert.equal(isForegroundJob(undefined), true);
});
