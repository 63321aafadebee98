/*
 * A file that was uploaded, and an agent in the whole shield: our state is not there for it, the copy is.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@clawdfather/sdk';
import { fakeAgentCommand } from '@clawdfather/testkit';
import { attachmentsDirOf } from '@clawdfather/tools';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, testConfig } from '../fixtures/open-test-gateway.ts';
import { noShield, shieldedRuns } from '../hosts/shielded-runs.ts';

test('an agent in its shield reads the copy, and nothing of our state', {
  skip: noShield,
}, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'clf-upload-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const { stateDir } = testConfig(directory);
  const { shield } = shieldedRuns(t);
  assert.ok(shield !== undefined);
  const ownDirectories = [stateDir];
  const given = [attachmentsDirOf(stateDir)];
  const places = { ...shield.places, ownDirectories, given, privateDir: join(stateDir, 'shield') };
  // It leaves what it sees before it begins to listen.
  const [program, ...words] = fakeAgentCommand();
  const script = `ls -A "${stateDir}" > seen.txt 2>&1; exec "$@"`;
  const command = ['/bin/sh', '-c', script, 'sh', program, ...words] as const;
  await using rig = await openTestGateway({
    config: { stateDir, agents: { named: [{ name: 'echo', command }] } },
    runs: { shield: { ...shield, places } },
  });
  const client = createClient({ baseUrl: rig.url, token: rig.owner.token });
  const { upload } = await client.uploads.create({ body: { name: 'notes.txt', size: 5 } });
  const params = { id: upload.id };
  const body = new TextEncoder().encode('hello');
  await client.uploads.append({ params, query: { offset: 0 }, body });
  const { thread } = await client.threads.create({ body: { agent: 'echo' } });
  await client.threads.prompt({
    params: { id: thread.id },
    body: { text: 'read attached', attachments: [upload.id] },
  });
  const ask = createAsk(rig);
  let said = '';
  for (let seq = 0, isOver = false; !isOver; ) {
    const path = `threads/${thread.id}/events?after=${seq}&wait_ms=20000`;
    const { items } = (await ask('GET', path)).body;
    for (const { seq: at, type, payload } of items) {
      seq = at;
      if (type === 'delta') said += payload.text;
      isOver ||= type === 'status' && ['completed', 'failed'].includes(payload.event);
    }
  }
  assert.equal(said, 'notes.txt has 5 bytes. ');
  assert.ok(existsSync(join(stateDir, 'uploads')));
  assert.equal(readFileSync(join(rig.directory, 'seen.txt'), 'utf8'), '');
});
