/*
 * Values of flags: what is understood, and what is refused with an example.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  parseBytes,
  parseDurationMs,
  parseInteger,
  parseLimitMs,
  parseSignal,
} from '../../src/args/values.ts';
import { formatDuration } from '../../src/render/duration.ts';

test('durations', () => {
  const cases: readonly [string, number][] = [
    ['30s', 30_000],
    ['30', 30_000],
    ['0.5', 500],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['2.5h', 9_000_000],
    ['1d', 86_400_000],
    ['0', 0],
  ];
  for (const [text, ms] of cases) assert.equal(parseDurationMs('--timeout', text), ms, text);
});

test('what is no duration is refused with an example', () => {
  for (const text of ['', 's', '5x', '1m 30s', '-5s', '1e9', '9999999d', '5S', 'NaN']) {
    assert.throws(() => parseDurationMs('--timeout', text), /--timeout is not a duration/, text);
  }
});

test('none and zero are no limit', () => {
  assert.equal(parseLimitMs('--timeout', 'none'), undefined);
  assert.equal(parseLimitMs('--timeout', '0'), undefined);
  assert.equal(parseLimitMs('--timeout', '1ms'), 1);
});

test('what we print as a duration we can read again', () => {
  fc.assert(
    fc.property(fc.nat(300 * 86_400_000), (ms) => {
      const read = parseDurationMs('--timeout', formatDuration(ms));
      // Only the units that are not shown are lost.
      assert.ok(read <= ms && read >= ms * 0.95 - 1_000, `${ms} → ${formatDuration(ms)} → ${read}`);
    }),
  );
});

test('sizes', () => {
  const cases: readonly [string, number][] = [
    ['4096', 4_096],
    ['64K', 65_536],
    ['64kb', 65_536],
    ['64KiB', 65_536],
    ['1.5G', 1_610_612_736],
    ['512m', 536_870_912],
  ];
  for (const [text, bytes] of cases) assert.equal(parseBytes('--limit-memory', text), bytes, text);
  for (const text of ['', 'M', '-1', '5X', '1e3']) {
    assert.throws(() => parseBytes('--limit-memory', text), /is not a size/, text);
  }
});

test('whole numbers in their range', () => {
  assert.equal(parseInteger('--nice', '-20', { min: -20, max: 19 }), -20);
  for (const text of ['20', '-21', '1.5', '', '0x1', ' 1']) {
    assert.throws(() => parseInteger('--nice', text, { min: -20, max: 19 }), /--nice is not/, text);
  }
});

test('signals by any of their names', () => {
  for (const text of ['TERM', 'SIGTERM', 'sigterm', 'term', '15']) {
    assert.equal(parseSignal('--signal', text), 'SIGTERM', text);
  }
  assert.throws(
    () => parseSignal('--signal', 'TREM'),
    (error: Error & { hint?: string }) => /Did you mean TERM/.test(error.hint ?? ''),
  );
  assert.throws(() => parseSignal('--signal', '0'), /is not a signal/);
});
