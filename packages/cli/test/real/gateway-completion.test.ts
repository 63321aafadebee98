/*
 * Completion of words that a gateway knows: the runs and approvals of the gateway that the typed line means.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

const options = { timeout: 60_000 };

/* The words of the answer, without what they mean. */
async function wordsFor({ clf }: Pick<SignedIn, 'clf'>, line: string): Promise<string[]> {
  const { code, stdout, stderr } = await clf('__complete', '--', ...line.split(' '));
  assert.deepEqual([code, stderr], [0, ''], line);
  const [what, ...words] = stdout.split('\n').filter(Boolean);
  assert.equal(what, 'words');
  return words.map((word) => word.split('\t')[0] ?? '');
}

test(
  'runs of the gateway that the line, the environment or the sign-in means',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    const me = await signIn(rig, await rig.serve());
    await me.clf('run', '-g', 'home', '-d', '--name', 'webserver', '--', 'sleep', '600');
    await me.clf('run', '-g', 'home', '--name', 'finished', '--', 'true');
    for (const line of ['attach -g home web', 'attach --gateway=home web', 'attach web']) {
      assert.deepEqual(await wordsFor(me, line), ['webserver'], line);
    }
    const living = await wordsFor(me, 'kill -g home ');
    assert.equal(living.length, 2, 'the name and the id');
    assert.ok((await wordsFor(me, 'logs -g home ')).includes('finished'));
    assert.deepEqual(await wordsFor(me, 'attach -g local web'), [], 'this machine has none');
    assert.deepEqual(await wordsFor(me, 'attach -g nowhere web'), []);
    const asked = (gateway: string) => ({
      clf: (...args: string[]) =>
        rig.clfWith({ env: { ...me.env, CLAWDFATHER_GATEWAY: gateway } }, ...args),
    });
    assert.deepEqual(await wordsFor(asked('local'), 'attach web'), []);
    assert.deepEqual(await wordsFor(asked('home'), 'attach web'), ['webserver']);
  },
);

test('-g: the gateways that are known, and this machine', options, async (context) => {
  const rig = createGatewayRig(context);
  const me = await signIn(rig, await rig.serve());
  assert.deepEqual(await wordsFor(me, 'ps -g '), ['home', 'local']);
  assert.deepEqual(await wordsFor(me, 'ps --gateway=h'), ['--gateway=home']);
  assert.deepEqual(await wordsFor(me, 'logout h'), ['home']);
});

test('what waits for a decision at the gateway', options, async (context) => {
  const rig = createGatewayRig(context);
  const served = await rig.serve();
  const me = await signIn(rig, served);
  const token = (await me.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout;
  const home = rig.env['HOME'] ?? '';
  const agent = { ...me.env, XDG_CONFIG_HOME: join(home, 'agent-config') };
  await rig.clfWith({ env: agent, input: token }, 'login', served.url);
  const made = join(home, 'made');
  const held = await rig.clfWith({ env: agent }, 'run', '-d', '--', '/usr/bin/touch', made);
  assert.match(held.stderr, /approval-pending/);
  const listed = await me.clf('approvals', '-g', 'home', '--json');
  const { id } = JSON.parse(listed.stdout) as { readonly id: string };
  assert.deepEqual(await wordsFor(me, 'allow -g home '), [id]);
  assert.deepEqual(await wordsFor(me, 'deny '), [id]);
  assert.deepEqual(await wordsFor(me, 'deny -g local '), []);
});

test(
  'a gateway that is gone, or that never answers, leaves no words and no message',
  options,
  async (context) => {
    const rig = createGatewayRig(context);
    const served = await rig.serve();
    const me = await signIn(rig, served);
    await me.clf('run', '-g', 'home', '-d', '--name', 'webserver', '--', 'sleep', '600');
    served.child.kill('SIGKILL');
    await endOf(served);
    assert.deepEqual(await wordsFor(me, 'attach web'), []);

    const path = join(me.env['XDG_CONFIG_HOME'] ?? '', 'clawdfather', 'gateways.json');
    const url = await openSilentServer(context);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(served.url, url), { mode: 0o600 });
    const env = { ...me.env, CLAWDFATHER_COMPLETION_WAIT: '200ms' };
    const late = await rig.clfWith({ env }, '__complete', '--', 'attach', 'web');
    assert.deepEqual([late.stdout, late.stderr], ['words\n', '']);
  },
);

/* It takes connections and says nothing. */
async function openSilentServer(context: TestContext): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
