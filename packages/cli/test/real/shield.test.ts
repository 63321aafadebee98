/*
 * The shield around what an agent starts: with every command allowed it gets none of our secrets, leaves nothing that runs later, and
 * decides nothing, as root and as an ordinary user.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { launcherPath } from '../support/cli-process.ts';
import { reading, writing } from '../support/shield-attacks.ts';
import { canary, shieldUsers } from '../support/shield-site.ts';
import { createShieldedAgent, quoted } from '../support/shielded-agent.ts';

for (const { name, isUser, skip } of shieldUsers) {
  test(`an agent of ${name} whose commands are all allowed reads no secret of ours`, {
    skip,
  }, async (t) => {
    const { run, agent, home, own, outside } = await createShieldedAgent(t, isUser);
    const database = join(home, 'state/control.db');
    writeFileSync(database, canary, { mode: 0o600 });
    own(database);
    for (const line of reading) {
      const said = await run(`export OUT=${agent.pid}; timeout 20 sh -c ${quoted(line)}`);
      assert.doesNotMatch(said, /clf_canary/, line);
    }
    assert.match(await run(`kill -9 ${agent.pid}; echo "code $?"`), /not permitted\s+code 1/);
    for (const path of [join(home, '.ssh/id'), database]) {
      assert.match(outside(['cat', path]).stdout, /clf_canary/, 'it is there outside');
    }
  });

  test(`an agent of ${name} writes nothing that a next start or shell would run`, {
    skip,
  }, async (t) => {
    const { run, home } = await createShieldedAgent(t, isUser);
    await run('true');
    const before = snapshot(home);
    for (const line of writing) {
      await run(line);
      assert.deepEqual(snapshot(home), before, line);
    }
  });

  test(`an agent of ${name} decides nothing: its clf knows no request and no gateway`, {
    skip,
  }, async (t) => {
    const { run, agent } = await createShieldedAgent(t, isUser);
    const held = await agent.call('exec', { argv: ['touch', 'never'], ask: 'always' });
    assert.equal(held.data['status'], 'approval-pending');
    const id = String(held.data['approvalId']);
    const clf = `${process.execPath} ${launcherPath}`;
    assert.doesNotMatch(await run(`${clf} approvals`), new RegExp(id.slice(0, 8)));
    await run(`script -qec "${clf} allow ${id}" /dev/null`);
    const still = await agent.call('process', { action: 'poll', runId: held.data['runId'] });
    assert.equal(still.data['status'], 'approval-pending', JSON.stringify(still.data));
  });
}

/* Everything that was there, but for what an agent may write to, and what the server itself writes. */
function snapshot(home: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const left = ['state', '.cache', 'project', '.npm'].map((name) => join(home, name));
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (left.some((top) => path === top || path.startsWith(`${top}/`))) continue;
    found[path] = entry.isFile() ? readFileSync(path, 'utf8') : String(entry.isDirectory());
  }
  return found;
}
