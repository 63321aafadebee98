/*
 * What is ended on a host, and when: with its session, by whatever ends that.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { sleepsFor, sleepWord, startOn, untilTrue, type World, withHost } from './host-world.ts';

const skip = sshdSkip;

async function activeSession({ ask }: World): Promise<string> {
  return (await ask('GET', 'sessions?status=active')).body.items[0].id;
}

async function nothingLeft({ rig, connectionId }: World): Promise<void> {
  const { stateDir } = rig.config;
  await untilTrue(async () => (await readdir(join(stateDir, 'ssh'))).length === 0);
  assert.deepEqual(await readdir(join(stateDir, 'host-commands', connectionId)), []);
}

test('a close ends what runs on the host, whether it writes or not', { skip }, (t) =>
  withHost(t, async (world) => {
    const word = sleepWord();
    const runId = await startOn(world.ask, { command: `sleep ${word} & exec sleep ${word}` });
    await untilTrue(() => sleepsFor(word) === 2);
    await world.ask('DELETE', `sessions/${await activeSession(world)}`);
    await nothingLeft(world);
    assert.equal(sleepsFor(word), 0);
    const { exit } = (await world.ask('GET', `runs/${runId}`)).body;
    assert.equal(exit.reason, 'manual-cancel');
  }),
);

test('a close ends what a finished command has left on the host (T4)', { skip }, (t) =>
  withHost(t, async (world) => {
    const word = sleepWord();
    const done = await world.run({ command: `setsid sleep ${word} >/dev/null 2>&1 & echo ok` });
    assert.equal(done.exitCode, 0, JSON.stringify(done));
    await untilTrue(() => sleepsFor(word) === 1);
    await world.ask('DELETE', `sessions/${await activeSession(world)}`);
    await nothingLeft(world);
    assert.equal(sleepsFor(word), 0);
  }),
);

test('another key of the host ends what runs under the old one', { skip }, (t) =>
  withHost(t, async (world) => {
    const { ask, sshd, connectionId } = world;
    const word = sleepWord();
    await startOn(ask, { command: `exec sleep ${word}` });
    await untilTrue(() => sleepsFor(word) === 1);
    await sshd.swapHostKey();
    const body = { accept_host_key: true };
    const accepted = await ask('POST', `connections/${connectionId}/test`, { body });
    assert.equal(accepted.body.result, 'ok', JSON.stringify(accepted.body));
    assert.equal(sleepsFor(word), 0);
    await nothingLeft(world);
  }),
);

test('a client that is killed while it opens leaves a ghost, which is ended', { skip }, (t) =>
  withHost(t, async (world) => {
    const { ask, sshd, rig, connectionId } = world;
    assert.equal((await world.run({ argv: ['true'] })).exitCode, 0);
    const at = (name: string): string => join(sshd.home, name);
    // The next login shell waits before it reads its command, and no other one does.
    const wait = `if rm ${at('armed')} 2>/dev/null; then while [ ! -e ${at('gate')} ]; do sleep 0.02; done; fi`;
    writeFileSync(at('.bashrc'), `${wait}\n`);
    writeFileSync(at('armed'), '');
    const word = sleepWord();
    const runId = await startOn(ask, { command: `touch ${at('begun')}; exec sleep ${word}` });
    await untilTrue(() => !existsSync(at('armed')));
    process.kill((await ask('GET', `runs/${runId}`)).body.pid, 'SIGKILL');
    await untilTrue(async () => (await ask('GET', `runs/${runId}`)).body.exit !== null);
    writeFileSync(at('gate'), '');
    await untilTrue(() => existsSync(at('begun')));
    await untilTrue(() => sleepsFor(word) === 0);
    const leases = join(rig.config.stateDir, 'host-commands', connectionId);
    await untilTrue(async () => !(await readdir(leases)).some((name) => name.startsWith(runId)));
  }),
);
