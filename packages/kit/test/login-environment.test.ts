/*
 * What a login gives, and nothing else.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginEnvironment } from '../src/index.ts';

test('names of a login are kept; a secret is absent without anybody having thought of it', () => {
  const kept = { PATH: '/bin', HOME: '/h', LC_ALL: 'C', XDG_RUNTIME_DIR: '/r', TMPDIR: '/t' };
  const rest = { SECRET: 'x', LD_PRELOAD: 'y', HOMEBREW: 'z', TERM: undefined };
  assert.deepEqual(loginEnvironment({ ...kept, ...rest }), kept);
});
