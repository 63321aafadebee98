/*
 * Files for prompts, and a program of the same user that swaps the places of copies for links: while they are made, and before a sweep. This is
 * what holds where the shield does not keep agents from these places.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { parseAccountId } from '@clawdfather/store';
import type { Attached } from '../../src/uploads/hand-over.ts';
import { createAttachments } from '../../src/uploads/open-attachments.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';
import { makeTemporary, type Temporary } from '../fixtures/temporary.ts';

const accountId = parseAccountId('0123456789abcdef');
const long = new Date(Date.now() - 90 * 24 * 60 * 60_000);
const bytes = new TextEncoder().encode('of an agent');

function openPlaces(temporary: Temporary) {
  const stateDir = join(temporary.path, 'state');
  const lines: Line[] = [];
  const attachments = createAttachments({
    stateDir,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: recordingLog(lines),
    runs: { users: { of: () => undefined } },
    store: { forAccount: () => ({ threads: { openPrompts: async () => [] } }) } as never,
  });
  const root = `${stateDir}-attachments`;
  return { ...attachments, stateDir, root, place: join(root, accountId), lines };
}

async function bring({ uploads }: ReturnType<typeof openPlaces>, name: string): Promise<string> {
  const facts = { name, size: bytes.length, contentType: 'text/plain' };
  const { id } = await uploads.create(accountId, facts);
  await uploads.append(accountId, { id, offset: 0, bytes });
  return id;
}

/* Old, so that a sweep of the place would remove it. */
async function makeSecret(directory: string): Promise<string> {
  await mkdir(join(directory, 'run'), { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'run/journal'), 'a secret of ours');
  await utimes(join(directory, 'run'), long, long);
  return join(directory, 'run/journal');
}

test('a sweep removes nothing through a link in the place of all copies, and says so', async () => {
  await using temporary = await makeTemporary();
  const places = openPlaces(temporary);
  const secret = await makeSecret(join(places.stateDir, 'artifacts', accountId));
  await symlink('state/artifacts', places.root);
  await places.sweep();
  assert.equal(await readFile(secret, 'utf8'), 'a secret of ours');
  const said = places.lines.map(([level, name]) => `${level} ${name}`);
  assert.deepEqual(said, ['warn attachments.copies-stay']);
  const id = await bring(places, 'a.txt');
  const given = { accountId, ids: [id], thread: {} };
  const refused = { code: 'uploads-unsafe' };
  await assert.rejects(
    places.handOver(given, async () => 'taken'),
    refused,
  );
  await rm(places.root);
  assert.equal(await places.handOver(given, async () => 'taken'), 'taken');
});

test('nothing is removed or written through a link in the place of an account or of one copy', async () => {
  await using temporary = await makeTemporary();
  const places = openPlaces(temporary);
  const secret = await makeSecret(join(places.stateDir, 'runs'));
  await mkdir(places.root, { mode: 0o700 });
  await symlink('../state/runs', places.place);
  const id = await bring(places, 'journal');
  const given = { accountId, ids: [id], thread: {} };
  const handOver = () => places.handOver(given, async () => 'taken');
  await places.sweep();
  await assert.rejects(handOver(), { code: 'uploads-unsafe' });
  await rm(places.place);
  await mkdir(places.place, { mode: 0o700 });
  await symlink('../../state/runs/run', join(places.place, id));
  await assert.rejects(handOver(), { code: 'uploads-unsafe' });
  await rm(join(places.place, id));
  await mkdir(join(places.place, id), { mode: 0o700 });
  await symlink('../../../state/runs/run/journal', join(places.place, id, 'journal'));
  await assert.rejects(handOver(), { code: 'uploads-unsafe' });
  assert.equal(await readFile(secret, 'utf8'), 'a secret of ours');
});

/* As an agent could: each directory that comes is moved away, and a link is where it was. */
const swapper = `
const { readdirSync, renameSync, symlinkSync } = require('node:fs');
const [place, target] = process.argv.slice(1);
console.log('ready');
for (;;) {
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
    try {
      renameSync(place + '/' + entry.name, place + '/.' + entry.name);
      symlinkSync(target, place + '/' + entry.name);
    } catch {}
  }
}
`;

test('directories that are swapped for links while prompts come: nothing is written where they lead', async () => {
  await using temporary = await makeTemporary();
  const places = openPlaces(temporary);
  const secret = await makeSecret(join(places.stateDir, 'runs'));
  const target = dirname(secret);
  await mkdir(places.place, { recursive: true, mode: 0o700 });
  const agent = spawn(process.execPath, ['-e', swapper, places.place, target]);
  const links: Attached[] = [];
  const lost: unknown[] = [];
  try {
    await once(agent.stdout, 'data');
    for (let round = 0; round < 40; round += 1) {
      const id = await bring(places, 'journal');
      const given = { accountId, ids: [id], thread: {} };
      const taken = await places
        .handOver(given, async (attached) => attached)
        .catch((error: unknown) => void lost.push(error));
      links.push(...(taken ?? []));
    }
  } finally {
    agent.kill('SIGKILL');
    await once(agent, 'exit');
  }
  assert.deepEqual(await readdir(target), ['journal']);
  assert.equal(await readFile(secret, 'utf8'), 'a secret of ours');
  assert.equal(Math.trunc((await lstat(target)).mtimeMs), long.getTime(), 'not made young either');
  assert.equal(links.length + lost.length, 40);
  // An agent is told a path, and never the number of a file of ours.
  for (const { uri } of links) {
    assert.ok(fileURLToPath(String(uri)).startsWith(`${places.place}/`), String(uri));
  }
});
