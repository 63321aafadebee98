/*
 * kill -9 of a gateway with SSH hosts: at each step of a session's start, in the middle of commands, and again while the next one takes
 * over. Commands go on with all their output and their code; what was cut off is ended, and nothing is left.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openSshd, type SshdRig, sshdSkip } from '@clawdfather/testkit';
import { type Ask, createAsk } from '../fixtures/api-client.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import {
  addHost,
  closeSessions,
  processesWith,
  sleepsFor,
  sleepWord,
  startOn,
  untilTrue,
} from './host-world.ts';
import { killMasters } from './master-processes.ts';

const skip = sshdSkip;

interface Killed {
  readonly sshd: SshdRig;
  readonly stateDir: string;
  readonly connectionId: string;
  /* Of the gateway that runs now. */
  gateway(): GatewayProcess;
  ask: Ask;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

async function withKilled(t: TestContext, work: (rig: Killed) => Promise<void>): Promise<void> {
  const sshd = await openSshd(t);
  const directory = await mkdtemp(join(tmpdir(), 'clf-hk-'));
  const stateDir = join(directory, 'state');
  let gateway = await startGatewayProcess(directory);
  const ask: Ask = (...asked) => createAsk({ url: gateway.url, owner: gateway })(...asked);
  try {
    const rig = {
      sshd,
      stateDir,
      connectionId: await addHost(ask, sshd),
      gateway: () => gateway,
      ask,
      kill: () => gateway.end('SIGKILL'),
      restart: async () => void (gateway = await startGatewayProcess(directory)),
    };
    await work(rig);
    await closeSessions(ask);
    await nothingLeft(rig);
  } finally {
    await gateway.end('SIGTERM');
    await endEveryRun(stateDir);
    await rm(directory, { recursive: true, force: true });
  }
}

/* No master, no client, no file. */
async function nothingLeft({ stateDir, connectionId }: Killed): Promise<void> {
  const leases = join(stateDir, 'host-commands', connectionId);
  await untilTrue(async () => (await readdir(join(stateDir, 'ssh'))).length === 0);
  await untilTrue(async () => (await readdir(leases).catch(() => [])).length === 0);
  await untilTrue(() => processesWith(join(stateDir, 'ssh')).length === 0);
}

interface Step {
  readonly name: string;
  readonly isReached: (rig: Killed) => boolean;
}

function fileOfMaster({ stateDir }: Killed, name: string): string | undefined {
  const base = join(stateDir, 'ssh');
  for (const directory of list(base)) {
    const names = list(join(base, directory));
    if (!names.includes(name)) continue;
    return name === 'm' ? '' : read(join(base, directory, name));
  }
  return undefined;
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const steps: readonly Step[] = [
  { name: 'it was asked for', isReached: () => true },
  { name: 'a directory', isReached: ({ stateDir }) => list(join(stateDir, 'ssh')).length > 0 },
  { name: 'a configuration', isReached: (rig) => fileOfMaster(rig, 'config') !== undefined },
  { name: 'dialled', isReached: (rig) => fileOfMaster(rig, 'report')?.includes('dial ') === true },
  {
    name: 'the host key',
    isReached: (rig) => fileOfMaster(rig, 'report')?.includes('hostkey HOSTNAME') === true,
  },
  { name: 'a socket', isReached: (rig) => fileOfMaster(rig, 'm') !== undefined },
];

test('killed at each step of a start: the session says so, and nothing is left', { skip }, (t) =>
  withKilled(t, async (rig) => {
    for (const { name, isReached } of steps) {
      const before = new Set((await rig.ask('GET', 'sessions')).body.items.map(idOf));
      const started = rig
        .ask('POST', 'sessions', { body: { connection_id: rig.connectionId } })
        .then(({ status }) => status)
        .catch(() => 'cut off');
      let isDone = false;
      void started.then(() => (isDone = true));
      while (!isReached(rig) && !isDone) await new Promise(setImmediate);
      await rig.kill();
      await started;
      await rig.restart();
      const news = async () =>
        (await rig.ask('GET', 'sessions')).body.items.filter(
          (session: { id: string }) => !before.has(session.id),
        );
      await untilTrue(async () =>
        (await news()).every(({ status }: { status: string }) => status !== 'pending'),
      );
      for (const session of await news()) {
        // It may have been faster than the kill: then it was taken over.
        if (session.status === 'active') await rig.ask('DELETE', `sessions/${session.id}`);
        else assert.equal(session.error.code, 'start_interrupted', name);
      }
      await nothingLeft(rig);
    }
  }),
);

function idOf({ id }: { readonly id: string }): string {
  return id;
}

const counting =
  'i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line $i; [ $((i % 20)) = 0 ] && sleep 0.1; done; exit 7';
const allLines = Array.from({ length: 400 }, (_, index) => `line ${index + 1}\n`).join('');

test('killed in the middle of a command, twice: its output and its code are whole', { skip }, (t) =>
  withKilled(t, async (rig) => {
    const runId = await startOn(rig.ask, { command: counting });
    const { id } = (await rig.ask('GET', 'sessions?status=active')).body.items[0];
    await untilTrue(async () => {
      const { body } = await rig.ask('GET', `runs/${runId}/output`);
      return body.text.includes('line 20\n');
    });
    await rig.kill();
    await rig.restart();
    await rig.kill();
    await rig.restart();
    const { exit } = await rig.gateway().me.untilEnded(runId);
    assert.deepEqual([exit.reason, exit.code], ['exit', 7]);
    assert.equal(await rig.gateway().me.outputOf(runId), allLines);
    const session = (await rig.ask('GET', `sessions/${id}`)).body.session;
    assert.equal(session.status, 'active', 'the same session');
    const { items } = (await rig.ask('GET', 'sessions?status=active')).body;
    assert.equal(items.length, 1);
  }),
);

test('a command that ends while no gateway is there has its code', { skip }, (t) =>
  withKilled(t, async (rig) => {
    const gate = join(rig.sshd.dir, 'gate');
    const command = `while [ ! -e ${gate} ]; do sleep 0.05; done; echo done; exit 3`;
    const runId = await startOn(rig.ask, { command });
    await rig.kill();
    writeFileSync(gate, '');
    const report = join(rig.stateDir, 'host-commands', rig.connectionId, `${runId}.report`);
    await untilTrue(() => read(report).includes('exit 3\n'));
    await rig.restart();
    const { exit } = await rig.gateway().me.untilEnded(runId);
    assert.equal(exit.code, 3);
    assert.equal(await rig.gateway().me.outputOf(runId), 'done\n');
    // The session lives on; of the command nothing is on the list any more.
    await untilTrue(() => !list(dirname(report)).some((name) => name.startsWith(runId)));
  }),
);

test(
  'a host that is lost while no gateway is there: what ran on it is ended by the next session',
  {
    skip,
  },
  (t) =>
    withKilled(t, async (rig) => {
      const word = sleepWord();
      const runId = await startOn(rig.ask, { command: `exec sleep ${word}` });
      await untilTrue(() => sleepsFor(word) === 1);
      await rig.kill();
      await killMasters(rig.stateDir);
      await rig.restart();
      const exitNow = async () => (await rig.ask('GET', `runs/${runId}`)).body.exit;
      // Known when the session is taken up.
      await untilTrue(async () => (await exitNow())?.hostCause === 'master-killed');
      const exit = await exitNow();
      assert.equal(exit.code, 255);
      assert.match(exit.detail, /lost\. The ssh process on the gateway’s machine was killed/);
      await untilTrue(async () => {
        const [session] = (await rig.ask('GET', 'sessions')).body.items;
        return session.error?.code === 'master-killed';
      });
      assert.equal(sleepsFor(word), 1, 'without a connection nothing can be ended');
      const made = await rig.ask('POST', 'sessions', { body: { connection_id: rig.connectionId } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await untilTrue(() => sleepsFor(word) === 0);
    }),
);
