/*
 * Files with secrets: read when they are ours alone, refused with what to do otherwise.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSecretFile, whyUnsafe } from '../../src/gateway/read-secret.ts';

test('a private file is read without its last newline; one that others can read or change is refused', (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'clf-secret-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'secret');
  writeFileSync(path, 'hush\n', { mode: 0o600 });
  const file = { path, setting: 'gateway.tls.key' };
  assert.equal(readSecretFile(file), 'hush');
  chmodSync(path, 0o620);
  assert.throws(() => readSecretFile(file), { code: 'secret-file-unsafe' });
  chmodSync(path, 0o644);
  assert.throws(() => readSecretFile(file), { code: 'secret-file-unsafe' });
  assert.equal(readSecretFile({ ...file, isPublic: true }), 'hush', 'a certificate may be read');
  assert.throws(() => readSecretFile({ ...file, path: join(directory, 'none') }), {
    code: 'secret-file-unreadable',
  });
});

test("root's file may be readable by a group, as service managers hand secrets over", () => {
  assert.equal(whyUnsafe({ uid: 0, mode: 0o440 }, false), undefined);
  assert.match(whyUnsafe({ uid: 0, mode: 0o444 }, false) ?? '', /read/);
  assert.match(whyUnsafe({ uid: 54_321, mode: 0o600 }, false) ?? '', /54321/);
});
