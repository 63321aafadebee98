/*
 * `clf inbox` and `clf notices`: what they say when nothing needs anybody.
 */
import assert from 'node:assert/strict';
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
