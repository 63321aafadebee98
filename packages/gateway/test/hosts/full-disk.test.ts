/*
 * Disks that are full while commands run on a host. On the host: it is the command's own error, and nothing of ours breaks. On our side: what a
 * command says waits until there is room, and nothing of it is lost. (A start with a full disk: other-servers.test.ts.)
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSmallDisk, openSshd, smallDiskSkip, sshdSkip } from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, testConfig } from '../fixtures/open-test-gateway.ts';
import { addHost, closeSessions, startOn, untilTrue, withHost } from './host-world.ts';

const skip = sshdSkip || smallDiskSkip;

test('the host is full, its home and its temporary files too: the command says so, and others run', {
  skip,
}, async (t) => {
  using disk = openSmallDisk('size=256k');
  const sessionEnv = { HOME: disk.path, XDG_RUNTIME_DIR: disk.path };
  await withHost(
    t,
    async ({ ask, run, connectionId, rig }) => {
      disk.fill();
      const full = await run({ command: 'echo text > file', workdir: disk.path });
      assert.equal(full.status, 'completed', JSON.stringify(full));
      assert.notEqual(full.exitCode, 0);
      assert.match(full.output, /No space left on device/);
      // Over standard input: nothing is written there.
      const env = { GIVEN: 'to it' };
      const given = await run({ command: 'echo "$GIVEN"', env, workdir: disk.path });
      assert.deepEqual([given.exitCode, given.output], [0, 'to it\n']);
      // With a terminal it needs a file on the host.
      const staged = await run({ command: 'echo "$GIVEN"', env, pty: true });
      assert.equal(staged.error?.code, 'ssh_connect_failed', JSON.stringify(staged));
      assert.match(staged.error.hint, /temporary files may be full/);
      disk.relieve();
      const after = await run({ command: 'echo "$GIVEN"', env, pty: true });
      assert.deepEqual([after.exitCode, after.output.trim()], [0, 'to it']);
      await closeSessions(ask);
      const leases = join(rig.config.stateDir, 'host-commands', connectionId);
      await untilTrue(async () => (await readdir(leases)).length === 0);
      const left = (await readdir(disk.path)).filter((name) => name.startsWith('clf-env'));
      assert.deepEqual(left, []);
    },
    { rig: { sessionEnv } },
  );
});

test('the journal is full: a command on a host waits for room, and nothing of it is lost', {
  skip,
}, async (t) => {
  const sshd = await openSshd(t);
  using disk = openSmallDisk('size=64m');
  const { stateDir } = testConfig(disk.path);
  await using rig = await openTestGateway({ config: { stateDir } });
  using _room = { [Symbol.dispose]: () => disk.relieve() };
  const ask = createAsk(rig);
  await addHost(ask, sshd);
  const lines = 200_000;
  const command = `read go; i=0; while [ $i -lt ${lines / 1_000} ]; do i=$((i+1)); seq 1000; done; exit 5`;
  const runId = await startOn(ask, { command });
  await untilTrue(async () => (await ask('GET', `runs/${runId}`)).body.pid !== undefined);
  disk.fill();
  await ask('POST', `runs/${runId}/input`, { body: { data: 'go\n' } });
  await untilTrue(async () => {
    const { items } = (await ask('GET', 'runs?state=running')).body;
    return items.some((run: { stalled?: unknown }) => run.stalled !== undefined);
  });
  disk.relieve();
  await untilTrue(async () => (await ask('GET', `runs/${runId}`)).body.exit !== null);
  const { exit } = (await ask('GET', `runs/${runId}`)).body;
  assert.deepEqual([exit.reason, exit.code, exit.undrainedBytes], ['exit', 5, 0]);
  const page = (await ask('GET', `runs/${runId}`)).body.outputBytes;
  assert.ok(page > lines * 3, String(page));
  await closeSessions(ask);
});
