/*
 * Tunnels of a real OpenSSH to a gateway, of an ordinary user, while a shielded command lives: the server's end of `ssh -R` cannot be told from a
 * command that hides itself, so nothing is sent to it, and the error says what to do instead; `ssh -L` is used.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSshd, sshdSkip } from '@clawdfather/testkit';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';

const [, ordinary] = shieldUsers;

async function createSite(t: TestContext) {
  const site = createShieldSite(t, true, createGatewayRig);
  const { rig, home, userName, outside, wrap } = site;
  rmSync(join(home, '.config/clawdfather/gateways.json'));
  const gateway = await rig.serve();
  assert.equal((await rig.clf('login')).code, 0);
  const sshd = await openSshd(t, { user: userName });
  const key = join(home, 'key');
  const made = outside(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key]);
  assert.equal(made.status, 0, made.stderr);
  sshd.authorize(outside(['cat', `${key}.pub`]).stdout);
  const words = ['-F', '/dev/null', '-i', key, '-p', `${sshd.port}`, '-v', '-N'];
  const trust = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
  const tunnel = async (kind: '-L' | '-R', until: string): Promise<string> => {
    const port = await freePort();
    const ends = `127.0.0.1:${port}:${new URL(gateway.url).host}`;
    const ssh = ['ssh', ...words, ...trust, kind, ends, `${userName}@${sshd.host}`];
    const [program = '', ...args] = [...wrap, ...ssh];
    await said(
      t,
      spawn(program, args, { env: rig.env, stdio: ['ignore', 'ignore', 'pipe'] }),
      until,
    );
    return `http://127.0.0.1:${port}`;
  };
  return { ...site, tunnel };
}

/* Resolves when it has said the words on stderr; it ends with the test. */
async function said(t: TestContext, child: ChildProcess, words: string): Promise<void> {
  const { stderr } = child;
  assert.ok(stderr);
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  let text = '';
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes(words)) {
      stderr.resume();
      return;
    }
  }
  assert.fail(text);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('while a shielded command lives, a gateway is reached through ssh -L, and nothing is sent through ssh -R', {
  skip: ordinary.skip || sshdSkip,
  timeout: 120_000,
}, async (t) => {
  const { rig, home, own, tunnel } = await createSite(t);
  const line = 'echo up; exec sleep 600';
  const shielded = rig.start({}, 'run', '--shield', '--name', 'one', '--', 'sh', '-c', line);
  await shielded.saw('up');
  const signIn = async (url: string) => {
    const linked = await rig.clf('login', '--link', '--json');
    const { loginLink } = JSON.parse(linked.stdout) as { readonly loginLink: string };
    const file = join(home, 'link');
    writeFileSync(file, `${loginLink.split('=')[1]}\n`, { mode: 0o600 });
    own(file);
    return await rig.clf('login', url, '--link-file', file, '--no-default');
  };
  const near = await tunnel('-L', 'Local forwarding listening on 127.0.0.1');
  const signedIn = await signIn(near);
  assert.equal(signedIn.code, 0, signedIn.stderr);
  assert.equal((await rig.clf('ps', '-g', near)).code, 0);

  const refused = await signIn(await tunnel('-R', 'remote forward success'));
  assert.equal(refused.code, 125, refused.stdout);
  const said = /cannot be seen who listens[^]*Nothing was sent[^]*ssh -R[^]*ssh -L/;
  assert.match(refused.stderr, said);
  assert.equal((await rig.clf('kill', 'one')).code, 0);
  await shielded.result;
});
