/*
 * Whose drafts are swept: those of processes that are certainly dead, and whose npm is, too.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sweepDrafts } from '../../src/install/drafts.ts';
import { markProcess } from '../../src/install/process-mark.ts';

test('only drafts whose maker and npm are certainly dead are swept', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'drafts-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const alive = markProcess(process.pid) ?? '';
  const [pid, start, namespace, boot] = alive.split('.');
  const reused = `${pid}.${Number(start) + 1}.${namespace}.${boot}`;
  const make = (name: string, npm?: string): void => {
    mkdirSync(join(directory, name));
    if (npm !== undefined) writeFileSync(join(directory, name, '.npm-process'), npm);
  };
  make(`.draft-${alive}-living`);
  make(`.draft-${reused}-npm0alive`, alive);
  make(`.draft-${pid}.${start}.1.${boot}-elsewhere`);
  make('.draft-unreadable');
  make('opencode-1.0.0-0123456789ab');
  const kept = readdirSync(directory).toSorted();
  make(`.draft-${reused}-dead`);
  make(`.draft-${reused}-both0dead`, reused);
  make(`.draft-${pid}.${start}.${namespace}.00000000-before0the0boot`);
  await sweepDrafts(directory);
  assert.deepEqual(readdirSync(directory).toSorted(), kept);
});
