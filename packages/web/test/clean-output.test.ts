/*
 * Output as text to read: the same however it is split, without what terminals act on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutputCleaner } from '../src/runs/clean-output.ts';

const raw =
  '\u001b[1;31mred\u001b[0m €uro\r\n\u001b]0;title\u0007next\u001b]8;;http://x\u001b\\link\u001b(B \u009b2Jend\u0001\u202e\tz\n';
const clean = 'red €uro\nnextlink end\\x01\\u202e\tz\n';

test('escape sequences go, hidden characters are shown, line ends and tabs stay', () => {
  const cleaner = createOutputCleaner();
  assert.equal(cleaner.push(new TextEncoder().encode(raw)) + cleaner.end(), clean);
});

test('it does not matter where the bytes are cut', () => {
  const bytes = new TextEncoder().encode(raw);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const cleaner = createOutputCleaner();
    const text = cleaner.push(bytes.subarray(0, cut)) + cleaner.push(bytes.subarray(cut));
    assert.equal(text + cleaner.end(), clean, `cut at ${cut}`);
  }
});

test('a sequence that never ends does not swallow what follows for ever', () => {
  const cleaner = createOutputCleaner();
  const text = cleaner.push(new TextEncoder().encode(`\u001b]0;${'x'.repeat(100_000)}`));
  assert.ok(text.length >= 100_000, `${text.length} characters`);
});

test('carriage returns without a newline are gone through once, however many they are', () => {
  // Were each of them the beginning of another look at the rest, this would take hours.
  const bytes = new Uint8Array(4 * 1024 * 1024).fill(0x0d);
  const cleaner = createOutputCleaner();
  const text = cleaner.push(bytes) + cleaner.push(new TextEncoder().encode('\n\r\r\nend'));
  assert.equal(text.replaceAll('\r', '') + cleaner.end(), '\n\nend');
});
