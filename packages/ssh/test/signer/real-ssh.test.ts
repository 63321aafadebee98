/*
 * The signer with OpenSSH's own client and server: it lets one user into one host, and the key is nowhere but here.
 */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { openSshd, type SshdRig, sshdSkip } from '@clawdfather/testkit';
import { createOpensshKey, type OpensshKey } from '../../src/keys/openssh-key.ts';
import {
  openSigner,
  type Signer,
  type SignerKey,
  type SignerOptions,
} from '../../src/signer/open-signer.ts';
import { findInMemory } from '../rig/process-memory.ts';
import { openRelay } from '../rig/agent-relay.ts';

const run = promisify(execFile);
const random = createSystemRandom();
const bindNumber = 27;

interface Rig {
  readonly sshd: SshdRig;
  readonly directory: string;
  readonly key: OpensshKey;
  open(changes?: Partial<SignerOptions>): Promise<Signer>;
}

async function openRig(context: TestContext, config: readonly string[] = []): Promise<Rig> {
  const sshd = await openSshd(context, { config });
  const directory = await mkdtemp(join(tmpdir(), 'clf-signer-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const key = await createOpensshKey(random, 'clawdfather-test');
  sshd.authorize(key.publicKey);
  await writeFile(join(directory, 'key.pub'), `${key.publicKey}\n`, { mode: 0o600 });
  return {
    sshd,
    directory,
    key,
    open: async (changes = {}) => {
      const signer = await openSigner({
        directory: join(directory, 's'),
        keys: [signerKey('key', key)],
        pinnedHostKeys: [Buffer.from(sshd.hostKey.blob, 'base64')],
        username: sshd.user,
        clock: createSystemClock(),
        random,
        ...changes,
      });
      context.after(() => signer[Symbol.asyncDispose]());
      return signer;
    },
  };
}

function signerKey(id: string, { publicKey, privateFile }: OpensshKey): SignerKey {
  return { id, publicKey, open: async () => Buffer.from(privateFile) };
}

interface Login {
  readonly agent: string;
  /* In known_hosts; else the host's own. */
  readonly hostKey?: string;
  readonly options?: readonly string[];
  readonly command?: string;
}

async function startSsh(
  { sshd, directory }: Rig,
  login: Login,
): Promise<ChildProcessWithoutNullStreams> {
  const { agent, hostKey = sshd.hostKey.line, options = [], command = 'echo in' } = login;
  const known = join(directory, 'known');
  await writeFile(known, `clf ${hostKey}\n`);
  const fixed = {
    HostKeyAlias: 'clf',
    UserKnownHostsFile: known,
    GlobalKnownHostsFile: 'none',
    StrictHostKeyChecking: 'yes',
    BatchMode: 'yes',
    PreferredAuthentications: 'publickey',
    IdentitiesOnly: 'yes',
    IdentityFile: join(directory, 'key.pub'),
    IdentityAgent: agent,
  };
  const words = Object.entries(fixed).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const where = ['-p', `${sshd.port}`, '-l', sshd.user, sshd.host];
  return spawn('/usr/bin/ssh', ['-F', 'none', ...options, ...words, ...where, command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  });
}

async function ssh(rig: Rig, login: Login): Promise<{ code: number; out: string; said: string }> {
  const child = await startSsh(rig, login);
  child.stdin.end();
  const [out, said, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: Number(code), out, said };
}

test('it signs in on a host with a key of each kind', { skip: sshdSkip }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-host-keys-'));
  t.after(() => rm(directory, { recursive: true }));
  const kinds = [
    ['ed25519', [], 'ssh-ed25519'],
    ['ecdsa', ['-b', '256'], 'ecdsa-sha2-nistp256'],
    ['ecdsa', ['-b', '384'], 'ecdsa-sha2-nistp384'],
    ['ecdsa', ['-b', '521'], 'ecdsa-sha2-nistp521'],
    ['rsa', ['-b', '2048'], 'rsa-sha2-256'],
    ['rsa', ['-b', '3072'], 'rsa-sha2-512'],
  ] as const;
  for (const [type, bits, algorithm] of kinds) {
    const path = join(directory, algorithm);
    await run('ssh-keygen', ['-q', '-t', type, ...bits, '-N', '', '-C', '', '-f', path]);
    const hostKey = (await readFile(`${path}.pub`, 'utf8')).trim();
    const pin = Buffer.from(hostKey.split(' ')[1] ?? '', 'base64');
    const rig = await openRig(t, [`HostKey ${path}`]);
    const signer = await rig.open({ pinnedHostKeys: [pin] });
    const options = ['-o', `HostKeyAlgorithms=${algorithm}`];
    const done = await ssh(rig, { agent: signer.socketPath, hostKey, options });
    assert.deepEqual(done, { code: 0, out: 'in\n', said: '' }, algorithm);
    assert.deepEqual(signer.evidence(), {
      identitiesAsked: true,
      bound: true,
      signRequests: 1,
      signed: 1,
      signedWith: 'key',
      refusals: [],
    });
    await rig.sshd.stop();
  }
});

test('it signs in without the hostbound method too', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const signer = await rig.open();
  const options = ['-o', 'PubkeyAuthentication=unbound'];
  assert.equal((await ssh(rig, { agent: signer.socketPath, options })).code, 0);
  assert.equal(signer.evidence().signed, 1);
});

test('a key that is not installed is listed and asked for no signature', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openRig(t);
  rig.sshd.authorizeNone();
  const signer = await rig.open();
  assert.equal((await ssh(rig, { agent: signer.socketPath })).code, 255);
  const { identitiesAsked, bound, signRequests, refusals } = signer.evidence();
  assert.deepEqual([identitiesAsked, bound, signRequests, refusals], [true, true, 0, []]);
});

test('of a new and an old key the one that the host has signs', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const next = await createOpensshKey(random, 'clawdfather-next');
  const path = join(rig.directory, 'next.pub');
  await writeFile(path, `${next.publicKey}\n`, { mode: 0o600 });
  const keys = [signerKey('next', next), signerKey('old', rig.key)];
  const login = async (): Promise<string | undefined> => {
    const signer = await rig.open({ keys });
    const done = await ssh(rig, {
      agent: signer.socketPath,
      options: ['-o', `IdentityFile=${path}`],
    });
    assert.equal(done.code, 0, done.said);
    assert.deepEqual([signer.evidence().signed, signer.evidence().refusals], [1, []]);
    return signer.evidence().signedWith;
  };
  assert.equal(await login(), 'old');
  rig.sshd.authorize(next.publicKey);
  assert.equal(await login(), 'next');
});

test('another user is refused', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const signer = await rig.open({ username: 'another' });
  const { code, said } = await ssh(rig, { agent: signer.socketPath });
  assert.equal(code, 255);
  assert.match(said, /agent refused operation/);
  const { refusals, signed } = signer.evidence();
  assert.deepEqual([refusals, signed], [['user-differs'], 0]);
});

test('another host is refused, although known_hosts was made to trust it', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openRig(t);
  const pinned = Buffer.from(rig.sshd.hostKey.blob, 'base64');
  await rig.sshd.swapHostKey();
  const signer = await rig.open({ pinnedHostKeys: [pinned] });
  assert.equal((await ssh(rig, { agent: signer.socketPath })).code, 255);
  const { refusals, signed, bound } = signer.evidence();
  assert.deepEqual([refusals, signed, bound], [['host-key-not-pinned', 'not-bound'], 0, false]);
});

test('a bind that was recorded from another session gets no signature for this one', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openRig(t);
  const recorded: Buffer[] = [];
  const first = await rig.open();
  const watched = join(rig.directory, 'watched');
  await openRelay(t, watched, {
    signerPath: first.socketPath,
    change: (message) => {
      if (message[0] === bindNumber) recorded.push(Buffer.from(message));
      return message;
    },
  });
  assert.equal((await ssh(rig, { agent: watched })).code, 0, 'the relay alone changes nothing');

  const second = await rig.open();
  const replaying = join(rig.directory, 'replaying');
  await openRelay(t, replaying, {
    signerPath: second.socketPath,
    change: (message) => (message[0] === bindNumber ? (recorded[0] ?? message) : message),
  });
  assert.equal((await ssh(rig, { agent: replaying })).code, 255);
  const { refusals, signed } = second.evidence();
  assert.deepEqual([refusals, signed], [['session-differs'], 0]);
});

test('a client that does not bind is refused', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const signer = await rig.open();
  const path = join(rig.directory, 'old');
  await openRelay(t, path, {
    signerPath: signer.socketPath,
    change: (message) => (message[0] === bindNumber ? Buffer.from([bindNumber]) : message),
  });
  assert.equal((await ssh(rig, { agent: path })).code, 255);
  assert.deepEqual(signer.evidence().refusals, ['request-unknown', 'not-bound']);
});

test('an agent that is forwarded to the host gives it no signature', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openRig(t);
  const signer = await rig.open();
  const line = join(rig.directory, 'key.pub');
  // On the host: sign anything, with the agent that ssh brings along.
  const command = `ssh-keygen -Y sign -f ${line} -n file < /dev/null`;
  const done = await ssh(rig, { agent: signer.socketPath, options: ['-A'], command });
  assert.notEqual(done.code, 0);
  assert.doesNotMatch(done.out, /BEGIN SSH SIGNATURE/);
  const { refusals, signed } = signer.evidence();
  assert.deepEqual([refusals, signed], [['forwarding', 'not-bound'], 1]);
});

test('the private key is on no disk, in no environment and in no other process', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openRig(t);
  const signer = await rig.open();
  const child = await startSsh(rig, { agent: signer.socketPath, command: 'echo in; cat' });
  try {
    await once(child.stdout, 'data');
    const needles = needlesOf(rig.key.privateFile);
    for (const directory of [rig.directory, rig.sshd.dir]) {
      for (const path of await filesIn(directory)) {
        const content = await readFile(path);
        for (const needle of needles) assert.equal(content.includes(needle), false, path);
      }
    }
    for (const name of ['environ', 'cmdline']) {
      const content = await readFile(`/proc/${child.pid}/${name}`);
      for (const needle of needles) assert.equal(content.includes(needle), false, name);
    }
    assert.ok(child.pid !== undefined);
    // The oracle can find: the public half is in the memory of ssh.
    const publicHalf = Buffer.from(rig.key.publicKey.split(' ')[1] ?? '', 'base64').subarray(-32);
    assert.equal(await findInMemory(child.pid, [publicHalf]), true);
    assert.equal(await findInMemory(child.pid, needles), false);
  } finally {
    const closed = once(child, 'close');
    child.stdin.end();
    await closed;
  }
});

/* The seed, as it is and in base64, in each of the three ways in which base64 can meet it. */
function needlesOf(privateFile: Buffer): readonly Buffer[] {
  const body = privateFile.toString().replace(/-----.*-----|\n/g, '');
  const whole = Buffer.from(body, 'base64');
  const at = whole.lastIndexOf(Buffer.from([0, 0, 0, 64])) + 4;
  const seed = whole.subarray(at, at + 32);
  const shifted = [0, 1, 2].map((skip) =>
    Buffer.from(seed.subarray(skip, skip + 24).toString('base64')),
  );
  return [seed, Buffer.from(seed.toString('hex')), ...shifted];
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
