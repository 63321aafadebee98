/*
 * Whoever installs with an older Node, which is fine, is not met by pages of warnings about it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/* The directory of a Node below 24 that has an npm beside it. */
function findOldNode(): string | undefined {
  return (process.env['PATH'] ?? '').split(delimiter).find((directory) => {
    const node = join(directory, 'node');
    if (!existsSync(node) || !existsSync(join(directory, 'npm'))) return false;
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return Number.parseInt(stdout, 10) < 24;
  });
}

const oldNode = findOldNode();

test('npm ci with an older Node prints no warning', {
  skip: oldNode === undefined ? 'no older Node with npm on this machine' : false,
}, (context) => {
  const copy = mkdtempSync(join(tmpdir(), 'clf-install-'));
  context.after(() => rmSync(copy, { recursive: true }));
  const manifests = globSync('{packages,tools}/*/package.json', { cwd: root });
  for (const file of ['package.json', 'package-lock.json', '.npmrc', ...manifests]) {
    cpSync(join(root, file), join(copy, file), { recursive: true });
  }
  const flags = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-update-notifier'];
  const { status, stdout, stderr } = spawnSync('npm', flags, {
    cwd: copy,
    encoding: 'utf8',
    // What `npm test` hands down would be taken for settings.
    env: { PATH: [oldNode, '/usr/bin', '/bin'].join(delimiter), HOME: copy },
  });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /npm warn/i);
  assert.match(stdout, /added \d+ packages/);
});
