/*
 * A terminal is read only by the job in front of it, whoever that is by now.
 */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { readTerminal } from '../../src/io/terminal-input.ts';

function open(isForeground: boolean) {
  const stream = new PassThrough();
  const clock = createFakeClock();
  const leave = new AbortController();
  const place = { isForeground, opened: 0, onContinue: (): void => {} };
  const chunks = readTerminal(
    {
      open: () => {
        place.opened += 1;
        return stream;
      },
      isForegroundJob: () => place.isForeground,
      onContinue: (handler) => {
        place.onContinue = handler;
        return { [Symbol.dispose]: () => {} };
      },
      clock,
    },
    leave.signal,
  );
  const next = async (): Promise<string | undefined> => {
    const { value } = await chunks.next();
    return value === undefined ? undefined : Buffer.from(value).toString();
  };
  return { stream, clock, leave, place, next };
}

test('a background job does not open the terminal, and reads it once it is in front', async () => {
  const { stream, clock, place, next } = open(false);
  stream.write('typed');
  const typed = next();
  await clock.advance(10_000);
  assert.equal(place.opened, 0);
  place.isForeground = true;
  await clock.advance(1_000);
  assert.equal(await typed, 'typed');
  stream.end();
  assert.equal(await next(), undefined);
  assert.ok(stream.destroyed);
});

test('a job that is continued in the background stops reading until it is in front again', async () => {
  const { stream, clock, place, next } = open(true);
  const first = next();
  stream.write('a');
  assert.equal(await first, 'a');
  const second = next();
  await clock.advance(0);
  place.isForeground = false;
  place.onContinue();
  await clock.advance(0);
  assert.ok(stream.isPaused(), 'what is typed now is for somebody else');
  place.isForeground = true;
  stream.write('b');
  await clock.advance(1_000);
  assert.equal(await second, 'b');
});

test('leaving ends the reading, in front and behind; a broken terminal is an error', async () => {
  for (const isForeground of [true, false]) {
    const { clock, leave, next } = open(isForeground);
    const reading = next();
    await clock.advance(0);
    leave.abort();
    assert.equal(await reading, undefined);
  }
  const { stream, clock, next } = open(true);
  const reading = next();
  await clock.advance(0);
  stream.destroy(new Error('EIO'));
  await assert.rejects(reading, /EIO/);
});
