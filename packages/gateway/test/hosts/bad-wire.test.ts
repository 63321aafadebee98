/*
 * A gateway and hosts on wires of their own: cut for some seconds, silent, lossy.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  createHurryingClock,
  type NetHost,
  netHostSkip,
  openNetHost,
  openSshd,
  type SshdRig,
  sshdSkip,
} from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGatewayOptions } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';
import { addHost, closeSessions, runOn, startOn, untilTrue, type World } from './host-world.ts';

const skip = sshdSkip || netHostSkip;

interface WireWorld extends World {
  readonly wire: NetHost;
  readonly wires: readonly NetHost[];
  readonly sshds: readonly SshdRig[];
}

/* The first of the hosts is called `web`, the others `web-1` and so on. */
async function withWires(
  count: number,
  work: (world: WireWorld) => Promise<void>,
  options: TestGatewayOptions = {},
): Promise<void> {
  await using wiring = new AsyncDisposableStack();
  const wires: NetHost[] = [];
  const sshds: SshdRig[] = [];
  for (let index = 0; index < count; index += 1) {
    const wire = wiring.use(await openNetHost());
    wires.push(wire);
    sshds.push(await openSshd(wiring, { host: wire.address, wrap: wire.wrap }));
  }
  await using rig = await openTestGateway(options);
  const ask = createAsk(rig);
  const ids: string[] = [];
  for (const [index, each] of sshds.entries())
    ids.push(await addHost(ask, each, index === 0 ? 'web' : `web-${index}`));
  const [wire, sshd, connectionId] = [wires[0], sshds[0], ids[0]];
  assert.ok(wire !== undefined && sshd !== undefined && connectionId !== undefined);
  const run: World['run'] = (asked) => runOn(ask, asked);
  try {
    await work({ rig, ask, sshd, connectionId, run, wire, wires, sshds });
  } finally {
    await closeSessions(ask);
  }
}

async function sessionOf({ ask }: World): Promise<string> {
  return (await ask('GET', 'sessions?status=active')).body.items[0].id;
}

const slowCount = 'i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo line $i; sleep 0.05; done; exit 7';

test('a wire that is cut for some seconds: commands and sessions go on', { skip }, (t) =>
  withWires(2, async (world) => {
    const { ask, run, wire } = world;
    const runId = await startOn(ask, { command: slowCount });
    const other = await runOn(ask, { host: 'web-1', argv: ['true'] });
    assert.equal(other.exitCode, 0, JSON.stringify(other));
    const before = await sessionOf(world);
    await wire.cut();
    // The other host is not touched by it.
    assert.equal((await runOn(ask, { host: 'web-1', argv: ['true'] })).exitCode, 0);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await wire.join();
    const healedAt = performance.now();
    assert.equal((await run({ argv: ['true'] })).exitCode, 0);
    t.diagnostic(`a new command ${Math.round(performance.now() - healedAt)} ms after the healing`);
    await untilTrue(async () => (await ask('GET', `runs/${runId}`)).body.exit !== null);
    const { exit } = (await ask('GET', `runs/${runId}`)).body;
    assert.deepEqual([exit.reason, exit.code], ['exit', 7]);
    const { text } = (await ask('GET', `runs/${runId}/output`)).body;
    assert.equal(text, Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`).join(''));
    const { items } = (await ask('GET', 'sessions?status=active')).body;
    assert.ok(
      items.some(({ id }: { id: string }) => id === before),
      'the same session',
    );
  }),
);

test('a silent host: pings are missed and counted, then the session fails, and so do its commands', {
  skip,
}, () => {
  const lines: Line[] = [];
  const clock = createHurryingClock();
  const deps = { clock, log: recordingLog(lines) };
  return withWires(
    1,
    async (world) => {
      const { ask, wire, rig, connectionId } = world;
      const runId = await startOn(ask, { command: 'echo here; exec sleep 600' });
      const id = await sessionOf(world);
      await wire.drop(100);
      clock.hurry(10);
      await untilTrue(
        async () => (await ask('GET', `sessions/${id}`)).body.session.status === 'error',
      );
      assert.equal((await ask('GET', `sessions/${id}`)).body.session.error.code, 'keepalive');
      const missed = lines
        .filter(([, name]) => name === 'ssh.keepalive.failed')
        .map(([, , fields]) => fields['missed_count']);
      assert.ok(missed.length > 0);
      assert.deepEqual(
        missed,
        missed.map((_, at) => at + 1),
        'each one counted, in order',
      );
      await untilTrue(async () => (await ask('GET', `runs/${runId}`)).body.exit !== null);
      assert.equal((await ask('GET', `runs/${runId}`)).body.exit.code, 255);
      assert.deepEqual(await readdir(join(rig.config.stateDir, 'ssh')), []);
      const leases = join(rig.config.stateDir, 'host-commands', connectionId);
      assert.ok((await readdir(leases)).includes(`${runId}.lease`), 'it is on the list');
      clock.hurry(1);
      await wire.pass();
      // The next contact ends what was left there.
      const made = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await untilTrue(async () => !(await readdir(leases)).includes(`${runId}.lease`));
    },
    { deps },
  );
});

test('a tenth of all packets is lost: everything comes through', { skip }, () =>
  withWires(1, async ({ ask, run, wire }) => {
    assert.equal((await run({ argv: ['true'] })).exitCode, 0);
    await wire.drop(10);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, at) => run({ command: `seq 1000; exit ${at}` })),
    );
    const numbers = Array.from({ length: 1_000 }, (_, at) => `${at + 1}\n`).join('');
    for (const [at, done] of all.entries()) {
      assert.equal(done.exitCode, at, JSON.stringify(done));
      assert.equal(done.output, numbers);
    }
    await wire.pass();
    await closeSessions(ask);
  }),
);
