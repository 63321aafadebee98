/*
 * The private places of shielded commands: the same for a boot, gone with it.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { makePrivatePlaces } from '../../src/shield/private-places.ts';

const clock = createSystemClock();

test('they are ours alone, the same again, and those of earlier boots are removed', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'clf-private-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const old = join(dir, 'an-earlier-boot');
  mkdirSync(join(old, '0', 'tmp'), { recursive: true });
  writeFileSync(join(old, '0', 'tmp', 'file'), 'x');
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, home: undefined };
  const places = await makePrivatePlaces(dir, user);
  for (const path of Object.values(places)) assert.equal(statSync(path).mode & 0o777, 0o700, path);
  writeFileSync(join(places.ownTmp, 'kept'), 'x');
  assert.deepEqual(await makePrivatePlaces(dir, user), places);
  assert.ok(existsSync(join(places.ownTmp, 'kept')));
  while (existsSync(old)) await clock.sleep(5);
});
