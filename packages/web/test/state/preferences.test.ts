/*
 * What is liked on a device: whatever was written there, a whole set of preferences comes of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPreferences, parsePreferences } from '../../src/state/preferences.ts';

function pageWith(kept: Map<string, string>) {
  return {
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
    addEventListener: () => {},
  };
}

test('what cannot be read, or is out of bounds, is as usual', () => {
  for (const text of [undefined, 'nonsense', '[]', 'null', '{"scheme":"pink","undoMs":"x"}']) {
    const { scheme, undoMs, keepNothing } = parsePreferences(text);
    assert.deepEqual(
      { scheme, undoMs, keepNothing },
      { scheme: 'system', undoMs: 2_000, keepNothing: false },
    );
  }
  assert.equal(parsePreferences('{"undoMs":90000}').undoMs, 5_000);
});

test('only what is not as usual is kept; signing out leaves nothing but the wish to keep nothing', () => {
  const kept = new Map<string, string>();
  const preferences = openPreferences(pageWith(kept));
  assert.equal(kept.size, 0);
  preferences.scheme.value = 'dark';
  preferences.keepNothing.value = true;
  preferences.wasOfferedPush.value = true;
  assert.equal(openPreferences(pageWith(kept)).wasOfferedPush.value, true);
  assert.equal(openPreferences(pageWith(kept)).scheme.value, 'dark');
  preferences.forget();
  assert.deepEqual([...kept.values()], ['{"keepNothing":true}']);
  preferences.keepNothing.value = false;
  assert.equal(kept.size, 0);
});

test('a browser that refuses to keep anything still has preferences', () => {
  const refusing = {
    get localStorage(): never {
      throw new DOMException('no', 'SecurityError');
    },
    addEventListener: () => {},
  };
  const preferences = openPreferences(refusing);
  preferences.scheme.value = 'dark';
  assert.equal(preferences.scheme.value, 'dark');
});
