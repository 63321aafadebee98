/*
 * The conversation of `clf host add`, on a real terminal.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostRig, firstKey, otherKey } from '../support/host-gateway.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';

const options = { timeout: 60_000 };
const size = { cols: 200, rows: 40 };
const line = ['host', 'add', 'web', 'deploy@web.example.org'];

test('from nothing to a host that works: install, Enter, look, yes', options, async (context) => {
  const { host, clf, env } = await createHostRig(context);
  const terminals = await createTerminalRig(context, env);
  const terminal = await terminals.open(line, size);
  await terminal.shows(/A key was made: "main"/);
  await terminal.shows(/authorized_keys/);
  await terminal.shows(/Press Enter when that is done/);
  assert.equal(host.tests, 0, 'nothing is tried before the key is there');
  host.hasKey = 'old';
  await terminal.type('\r');
  await terminal.shows(/shows the key SHA256:a{43}/);
  await terminal.shows(/Trust it from now on\? \[y\/N\]/);
  await terminal.type('y\r');
  await terminal.shows(/web: ok, 12 ms/);
  await terminal.shows(/Done\. Try it: clf run --host web -- uname -a/);
  assert.equal((await terminal.exit()).code, 0);
  assert.equal(host.tests, 2);
  const shown = JSON.parse((await clf('host', 'show', 'web', '--json')).stdout);
  assert.deepEqual([shown.hostKeyFingerprint, shown.lastTest.result], [firstKey, 'ok']);
});

test('no is no: nothing is trusted, and it says how to go on', options, async (context) => {
  const { host, clf, env } = await createHostRig(context);
  const terminals = await createTerminalRig(context, env);
  const terminal = await terminals.open(line, size);
  await terminal.shows(/Press Enter/);
  host.hasKey = 'old';
  await terminal.type('\r');
  await terminal.shows(/\[y\/N\]/);
  await terminal.type('\r');
  await terminal.shows(
    /not proven yet\. Go on when you like: clf host test web\. If its address is wrong: clf host rm web/,
  );
  assert.equal((await terminal.exit()).code, 1);
  const shown = JSON.parse((await clf('host', 'show', 'web', '--json')).stdout);
  assert.equal(shown.hostKeyFingerprint, null);
});

test('a key that changes between the look and the yes is not trusted', options, async (context) => {
  const { host, clf, env } = await createHostRig(context);
  const terminals = await createTerminalRig(context, env);
  const terminal = await terminals.open(line, size);
  await terminal.shows(/Press Enter/);
  host.hasKey = 'old';
  await terminal.type('\r');
  await terminal.shows(/\[y\/N\]/);
  host.fingerprint = otherKey;
  await terminal.type('y\r');
  await terminal.shows(/shows the key SHA256:b{43}/);
  await terminal.type('n\r');
  assert.equal((await terminal.exit()).code, 1);
  const shown = JSON.parse((await clf('host', 'show', 'web', '--json')).stdout);
  assert.equal(shown.hostKeyFingerprint, null);
});

test(
  'a key that is not installed yet is told, and tested again after Enter',
  options,
  async (context) => {
    const { host, env } = await createHostRig(context);
    const terminals = await createTerminalRig(context, env);
    const terminal = await terminals.open(line, size);
    await terminal.shows(/Press Enter/);
    await terminal.type('\r');
    await terminal.shows(/\[y\/N\]/);
    await terminal.type('yes\r');
    await terminal.shows(/web: it does not have the key/);
    await terminal.shows(
      /Install the key there: clf key install-command \w{16}\n[^]*Press Enter to test again/,
    );
    host.hasKey = 'old';
    await terminal.type('\r');
    await terminal.shows(/web: ok, 12 ms/);
    assert.equal((await terminal.exit()).code, 0);
  },
);

test(
  'the end of the input leaves the host added, and trust can be given later',
  options,
  async (context) => {
    const { host, clf, env } = await createHostRig(context);
    const terminals = await createTerminalRig(context, env);
    const terminal = await terminals.open(line, size);
    await terminal.shows(/Press Enter/);
    await terminal.type('\u0004');
    await terminal.shows(/clf host test web/);
    assert.equal((await terminal.exit()).code, 1);
    assert.equal(host.tests, 0);
    host.hasKey = 'old';
    const trusting = await terminals.open(['host', 'trust', 'web'], size);
    await trusting.shows(/Trust this key from now on\? \[y\/N\]/);
    await trusting.type('y\r');
    assert.equal((await trusting.exit()).code, 0);
    assert.equal((await clf('host', 'test', 'web')).code, 0);
  },
);
