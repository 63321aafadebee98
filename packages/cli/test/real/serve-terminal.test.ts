/*
 * `clf serve` on a real terminal: an address, a link, and then a line for each thing that matters.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';

test('on a terminal the log is sentences: adopted, signed in, signed out, stopped', {
  timeout: 120_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const before = await rig.serve();
  await rig.clf('login');
  for (const name of ['one', 'two']) {
    const args = ['run', '-d', '-g', before.url, '--name', name, '--', 'sleep', '1000'];
    assert.equal((await rig.clf(...args)).code, 0);
  }
  before.child.kill('SIGKILL');
  await endOf(before);

  const terminals = await createTerminalRig(context, rig.env);
  const size = { cols: 100, rows: 40 };
  const serving = await terminals.open(['serve', '--listen', '127.0.0.1:0'], size);
  await serving.shows(/Clawdfather is running at http:\/\/127\.0\.0\.1:\d+/);
  await serving.shows(/^\d\d:\d\d:\d\d 2 runs adopted$/m);
  await serving.shows(/Ctrl-C stops the gateway/);
  assert.doesNotMatch(serving.screen(), /[█▀▄]/, 'a phone cannot reach this machine by 127.0.0.1');
  assert.equal((await rig.clf('login')).code, 0);
  await serving.shows(/^\d\d:\d\d:\d\d signed in: clf of \S+ on \S+$/m);
  assert.equal((await rig.clf('logout')).code, 0);
  await serving.shows(/^\d\d:\d\d:\d\d signed out: clf of \S+ on \S+$/m);
  for (const name of ['one', 'two']) assert.equal((await rig.clf('kill', name)).code, 0);
  assert.doesNotMatch(serving.screen(), /run\.[a-z]|runId|gateway\.[a-z]|\{|owner/);
  await serving.type('\u0003');
  assert.equal((await serving.exit()).code, 0);
  await serving.shows(/stopping \(SIGINT\); what runs goes on\n\d\d:\d\d:\d\d stopped$/m);
});
