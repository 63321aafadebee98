/*
 * The systemd unit: E2 in its lines, words quoted as systemd reads them, and systemd's own verdict where it is installed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatUnit, unitName, unitProblems } from '../../src/service/unit-text.ts';

const facts = {
  scope: 'user',
  program: ['/opt/my clf/bin/clawdfather'],
  flags: ['--listen', '[::1]:8420'],
  placeFlags: ['--state-dir', '/var/lib/50% of $it "all"\\'],
  searchPath: '/usr/local/bin:/usr/bin:/bin',
} as const;

test('E2: a stop, an upgrade or an out-of-memory kill ends the gateway at most, never its runs', () => {
  const text = formatUnit(facts);
  assert.match(text, /^KillMode=process$/m);
  assert.match(text, /^OOMPolicy=continue$/m);
  assert.match(text, /^Restart=always$/m);
  assert.match(text, /^TasksMax=infinity$/m);
  assert.deepEqual(unitProblems(text), []);
  const changed = text
    .replace('KillMode=process', 'KillMode=mixed')
    .replace('OOMPolicy', '#OOMPolicy');
  assert.deepEqual(unitProblems(changed), [
    'KillMode is mixed, not process',
    'OOMPolicy is not set, not continue',
  ]);
});

test('words are quoted, and both calls get the same place', () => {
  const place = String.raw`--state-dir "/var/lib/50%% of $$it \"all\"\\"`;
  const lines = formatUnit(facts).split('\n');
  const start = lines.find((line) => line.startsWith('ExecStart='));
  assert.equal(
    start,
    `ExecStart="/opt/my clf/bin/clawdfather" serve --listen "[::1]:8420" ${place}`,
  );
  const after = lines.find((line) => line.startsWith('ExecStartPost=')) ?? '';
  assert.ok(after.endsWith(`status --quiet --wait 50s ${place}`), after);
});

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

test('systemd finds nothing to say about it', {
  skip: hasAnalyze ? false : 'no systemd-analyze',
}, (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'clf-unit-'));
  context.after(() => rmSync(directory, { recursive: true }));
  for (const scope of ['user', 'system'] as const) {
    const path = join(directory, unitName);
    writeFileSync(path, formatUnit({ ...facts, scope, program: ['/bin/true'] }));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, ''], scope);
  }
});
