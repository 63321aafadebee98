/*
 * `clf inbox` and `clf notices`: what they say when nothing needs anybody, and when a command does.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGatewayRig } from '../support/gateway-rig.ts';

test('an empty inbox says so, and so do notices and channels that are not there', async (context) => {
  const rig = createGatewayRig(context);
  await rig.serve();
  await rig.clf('login');
  const empty = await rig.clf('inbox');
  assert.equal(empty.stdout, 'Nothing needs you. No thread is working.\n');
  const nothing = await rig.clf('notices');
  assert.match(nothing.stdout, /^No notices\. /);
  const open = await rig.clf('notices', '--open');
  assert.match(open.stdout, /^No notice is open\. /);
  const tried = await rig.clf('notices', 'test');
  assert.match(tried.stdout, /no channel/);
});

test('a command of a token that is held is in the inbox, with what to type', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const home = rig.env['HOME'] ?? '';
  const { url } = await rig.serve();
  await rig.clf('login');
  const token = (await rig.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout;
  const agent = {
    CLAWDFATHER_STATE_DIR: join(home, 'elsewhere'),
    XDG_CONFIG_HOME: join(home, 'agent-config'),
  };
  await rig.clfWith({ env: agent, input: token }, 'login', url);
  const held = await rig.clfWith({ env: agent }, 'run', '--', '/usr/bin/touch', join(home, 'made'));
  assert.equal(held.code, 125);
  const listed = await rig.clf('approvals', '--gateway', url, '--json');
  const { id } = JSON.parse(listed.stdout) as { id: string };
  // It is stored by whoever follows the approvals of this machine, a moment later.
  const untilThere = async (): Promise<readonly string[]> => {
    for (;;) {
      const lines = (await rig.clf('inbox', '--json')).stdout.trim().split('\n');
      if (lines.length > 1) return lines;
    }
  };
  const [counts = '', item = ''] = await untilThere();
  assert.equal(JSON.parse(counts).needsYou, 1);
  const shown = JSON.parse(item);
  assert.deepEqual([shown.group, shown.id, shown.next], ['approval', id, `clf allow ${id}`]);
  assert.match(shown.title, /\/usr\/bin\/touch/);
  const text = (await rig.clf('inbox')).stdout;
  assert.match(
    text,
    new RegExp(`^approval {2}.*touch.*\\n.*clf allow ${id}\\n\\nNo thread is working`),
  );
  assert.match((await rig.clf('notices')).stdout, /approval/);
});
