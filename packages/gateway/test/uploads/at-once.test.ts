/*
 * Files for prompts when things happen at the same moment: a removal while a file is handed over, one that nobody asked us for, and a power cut.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { parseAccountId } from '@clawdfather/store';
import { inOwnMounts } from '@clawdfather/testkit';
import { createAttachments } from '../../src/uploads/open-attachments.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const accountId = parseAccountId('0123456789abcdef');
const facts = { name: 'a.txt', size: 1, contentType: 'text/plain' };
const bytes = new Uint8Array(1);

async function openAttachments(directory: string) {
  const stateDir = join(directory, 'state');
  await mkdir(stateDir, { mode: 0o700 });
  const attachments = createAttachments({
    stateDir,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: silentLog,
    runs: { users: { of: () => undefined } },
    store: { forAccount: () => ({ threads: { openPrompts: async () => [] } }) } as never,
  });
  const { id } = await attachments.uploads.create(accountId, facts, { id: 'b'.repeat(16) });
  await attachments.uploads.append(accountId, { id, offset: 0, bytes });
  return { ...attachments, id };
}

test('what is handed over is not removed meanwhile, and not added to', async () => {
  await using temporary = await makeTemporary();
  const { uploads, handOver, id } = await openAttachments(temporary.path);
  const path = uploads.pathOf(accountId, id);
  let removed: Promise<void> | undefined;
  await handOver({ accountId, ids: [id], thread: {} }, async () => {
    removed = uploads.remove(accountId, id);
    // Long enough for a removal that waits for nothing.
    for (let looks = 0; looks < 200; looks += 1) await stat(temporary.path);
    assert.ok(existsSync(path));
  });
  await removed;
  assert.ok(!existsSync(path));
});

test('of an upload whose bytes are gone it is said that it is not here, and it can be announced again', async () => {
  await using temporary = await makeTemporary();
  const { uploads, handOver, id } = await openAttachments(temporary.path);
  await rm(uploads.pathOf(accountId, id));
  const gone = { code: 'not_found' };
  await assert.rejects(uploads.find(accountId, id), gone);
  await assert.rejects(uploads.append(accountId, { id, offset: 0, bytes }), gone);
  await assert.rejects(
    handOver({ accountId, ids: [id], thread: {} }, async () => 'taken'),
    gone,
  );
  assert.equal((await uploads.create(accountId, facts, { id })).offset, 0);
});

test('a power cut when a prompt was taken leaves its files whole', async () => {
  await using temporary = await makeTemporary();
  const rig = fileURLToPath(new URL('../fixtures/power-cut-uploads.ts', import.meta.url));
  const [program = '', ...words] = inOwnMounts;
  const node = [process.execPath, '--conditions=@clawdfather/source', rig, temporary.path];
  const { stdout } = await promisify(execFile)(program, [...words, ...node]);
  assert.deepEqual(JSON.parse(stdout), { announced: 0, isWhole: true, isCopied: true });
});
