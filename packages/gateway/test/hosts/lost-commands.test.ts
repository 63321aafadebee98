/*
 * A command that is lost with its connection says why, everywhere: in the result of who waits for it, in its record, and in the session.
 * Each cause is produced for real.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHurryingClock, netHostSkip, openNetHost, sshdSkip } from '@clawdfather/testkit';
import { sleepsFor, sleepWord, startOn, untilTrue, type World, withHost } from './host-world.ts';
import { killConnections, killMasterAndShim, killMasters } from './master-processes.ts';

const skip = sshdSkip;

/* Two commands: one that is waited for, and one in the background. Both are lost. */
async function losesBoth(world: World, cause: string, lose: () => Promise<void>): Promise<void> {
  const { ask, run } = world;
  const word = sleepWord();
  const command = `echo begun; exec sleep ${word}`;
  const runId = await startOn(ask, { command });
  const waited = run({ command });
  await untilTrue(() => sleepsFor(word) === 2);
  await lose();
  const result = await waited;
  assert.deepEqual(
    [result.status, result.kind, result.exitCode],
    ['failed', 'host-unreachable', 255],
    JSON.stringify(result),
  );
  assert.ok(result.message.includes(`(${cause})`), result.message);
  assert.match(result.output, /^begun\n/, 'what it said is kept');
  await isLost(world, runId, cause);
}

/* In its record as soon as it has ended, and in that of its session. */
async function isLost({ ask }: World, runId: string, cause: string): Promise<void> {
  const ended = async () => (await ask('GET', `runs/${runId}/wait`)).body.exit;
  await untilTrue(async () => (await ended()) !== null);
  const exit = await ended();
  assert.deepEqual([exit.reason, exit.code, exit.hostCause], ['exit', 255, cause]);
  assert.match(exit.detail, /^the connection to the host was lost\. [A-Z]/);
  const { sessionId } = (await ask('GET', `runs/${runId}`)).body;
  await untilTrue(async () => (await ask('GET', `sessions/${sessionId}`)).body.session.error);
  assert.equal((await ask('GET', `sessions/${sessionId}`)).body.session.error.code, cause);
}

test('host-closed: the host is gone', { skip }, (t) =>
  withHost(t, (world) => losesBoth(world, 'host-closed', () => killConnections(world.sshd.pid))),
);

test('master-killed: ssh is killed', { skip }, (t) =>
  withHost(t, async (world) => {
    const { stateDir } = world.rig.config;
    await losesBoth(world, 'master-killed', () => killMasters(stateDir));
  }),
);

test('master-lost: what held ssh is killed, and nobody saw its end', { skip }, (t) =>
  withHost(t, async (world) => {
    const { stateDir } = world.rig.config;
    await losesBoth(world, 'master-lost', () => killMasterAndShim(stateDir));
  }),
);

test('keepalive: the host falls silent', { skip: skip || netHostSkip }, async (t) => {
  await using host = await openNetHost();
  const clock = createHurryingClock();
  const loses = async (world: World): Promise<void> => {
    const word = sleepWord();
    const runId = await startOn(world.ask, { command: `exec sleep ${word}` });
    await untilTrue(() => sleepsFor(word) === 1);
    await host.drop(100);
    clock.hurry(8);
    await isLost(world, runId, 'keepalive');
  };
  await withHost(t, loses, { deps: { clock }, rig: { host: host.address, wrap: host.wrap } });
});

test(
  'a command whose session is closed says so, and one that was killed there does not',
  {
    skip,
  },
  (t) =>
    withHost(t, async ({ ask, run }) => {
      const killed = await run({ command: 'kill -9 $$' });
      assert.equal(killed.status, 'completed', JSON.stringify(killed));
      assert.equal(killed.exitCode, 255);
      const alone = (await ask('GET', `runs/${killed.runId}`)).body.exit;
      assert.equal(alone.hostCause, null);
      const word = sleepWord();
      const runId = await startOn(ask, { command: `exec sleep ${word}` });
      await untilTrue(() => sleepsFor(word) === 1);
      const { sessionId } = (await ask('GET', `runs/${runId}`)).body;
      await ask('DELETE', `sessions/${sessionId}`);
      const { exit } = (await ask('GET', `runs/${runId}/wait`)).body;
      assert.deepEqual([exit.reason, exit.hostCause], ['manual-cancel', 'closed']);
    }),
);
