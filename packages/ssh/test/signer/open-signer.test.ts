/*
 * The signer on its socket: what it answers, what bounds it has, and that it leaves nothing.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createSystemRandom } from '@clawdfather/kit';
import {
  cannotMakeUsers,
  createFakeClock,
  type FakeClock,
  makeUnixUser,
} from '@clawdfather/testkit';
import { createOpensshKey, type OpensshKey } from '../../src/keys/openssh-key.ts';
import { createFrameReader, formatFrame } from '../../src/signer/frames.ts';
import {
  lifeMs,
  openSigner,
  type Signer,
  type SignerKey,
  type SignerOptions,
} from '../../src/signer/open-signer.ts';
import { messageBytesMax, messagesMax } from '../../src/signer/serve-connection.ts';
import { connectionsMax, signaturesMax } from '../../src/signer/signer-answers.ts';
import { createWireReader } from '../../src/wire.ts';
import { join, makeHost } from '../rig/host-signer.ts';
import { bindMessage, loginData, signMessage } from '../rig/login-messages.ts';

const random = createSystemRandom();
const run = promisify(execFile);
const host = makeHost();
const sessionId = randomBytes(32);
const identities = Buffer.from([11]);

interface Rig {
  readonly signer: Signer;
  readonly clock: FakeClock;
  readonly key: OpensshKey;
  readonly keyBlob: Buffer;
  readonly directory: string;
  /* What was handed to the signer. */
  readonly opened: Buffer[];
}

interface Changes extends Partial<SignerOptions>, Partial<Omit<SignerKey, 'id'>> {}

async function openRig(context: TestContext, changes: Changes = {}): Promise<Rig> {
  const directory = await mkdtemp(joinPath(tmpdir(), 'clf-signer-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const key = await createOpensshKey(random, 'clawdfather-test');
  const clock = createFakeClock();
  const opened: Buffer[] = [];
  const open = async (): Promise<Buffer> => {
    const file = Buffer.from(key.privateFile);
    opened.push(file);
    return file;
  };
  const signer = await openSigner({
    directory,
    keys: [
      { id: 'key', publicKey: changes.publicKey ?? key.publicKey, open: changes.open ?? open },
    ],
    pinnedHostKeys: [host.blob],
    username: 'ann',
    clock,
    random,
    ...changes,
  });
  context.after(() => signer[Symbol.asyncDispose]());
  const keyBlob = Buffer.from(key.publicKey.split(' ')[1] ?? '', 'base64');
  return { signer, clock, key, keyBlob, directory, opened };
}

interface Asking {
  readonly socket: Socket;
  /* `undefined`: it was closed instead. */
  readonly ask: (message: Buffer) => Promise<Buffer | undefined>;
}

async function connect(context: TestContext, signer: Signer): Promise<Asking> {
  const socket = createConnection(signer.socketPath);
  context.after(() => socket.destroy());
  await once(socket, 'connect');
  const frames = createFrameReader(messageBytesMax);
  const closed = new Promise<undefined>((resolve) =>
    socket.once('close', () => resolve(undefined)),
  );
  socket.on('error', () => {});
  const ask = async (message: Buffer): Promise<Buffer | undefined> => {
    const answered = new Promise<Buffer | undefined>((resolve) => {
      const onData = (bytes: Buffer): void => {
        const [answer] = frames.push(bytes) ?? [];
        if (answer === undefined) return;
        socket.off('data', onData);
        resolve(answer);
      };
      socket.on('data', onData);
    });
    socket.write(formatFrame(message));
    return Promise.race([answered, closed]);
  };
  return { socket, ask };
}

const isFailure = (answer: Buffer | undefined): boolean =>
  answer?.equals(Buffer.from([5])) === true;

test('it lists its one key, binds, and signs what verifies; the clear key is overwritten', async (t) => {
  const { signer, keyBlob, opened } = await openRig(t);
  const { ask } = await connect(t, signer);
  assert.equal((await ask(bindMessage({ host, sessionId })))?.[0], 6);
  const listed = createWireReader((await ask(identities))?.subarray(1) ?? Buffer.alloc(0));
  assert.deepEqual(
    [listed.uint32(), listed.string(), listed.name()],
    [1, keyBlob, 'clawdfather-test'],
  );
  assert.equal(listed.isWhole(), true);

  const data = loginData({ sessionId, keyBlob });
  const answer = createWireReader((await ask(signMessage(keyBlob, data))) ?? Buffer.alloc(0));
  assert.equal(answer.byte(), 14);
  const signature = createWireReader(answer.string());
  assert.equal(signature.name(), 'ssh-ed25519');
  const x = keyBlob.subarray(-32).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  assert.equal(verify(null, data, publicKey, signature.string()), true);
  assert.deepEqual(signer.evidence(), {
    identitiesAsked: true,
    bound: true,
    signRequests: 1,
    signed: 1,
    signedWith: 'key',
    refusals: [],
  });
  assert.equal(opened.length, 1);
  assert.ok(opened.every((file) => file.every((byte) => byte === 0)));
});

test('AG1: the key is not opened for what is refused', async (t) => {
  const { signer, keyBlob, opened } = await openRig(t);
  const { ask } = await connect(t, signer);
  assert.ok(isFailure(await ask(signMessage(keyBlob, loginData({ sessionId, keyBlob })))));
  await ask(bindMessage({ host, sessionId }));
  assert.ok(
    isFailure(await ask(signMessage(keyBlob, loginData({ sessionId, keyBlob, user: 'root' })))),
  );
  assert.ok(isFailure(await ask(Buffer.from([25]))));
  assert.ok(isFailure(await ask(Buffer.from([13, 0]))));
  assert.equal(opened.length, 0);
  const { refusals, signed, signRequests } = signer.evidence();
  assert.deepEqual(refusals, ['not-bound', 'user-differs', 'request-unknown', 'malformed']);
  assert.deepEqual([signRequests, signed], [2, 0]);
});

test('the bind of one connection is not that of another', async (t) => {
  const { signer, keyBlob } = await openRig(t);
  const [one, other] = [await connect(t, signer), await connect(t, signer)];
  await one.ask(bindMessage({ host, sessionId }));
  assert.ok(isFailure(await other.ask(signMessage(keyBlob, loginData({ sessionId, keyBlob })))));
  // SG2: recorded from another connection to the same host.
  const replayed = randomBytes(32);
  assert.ok(isFailure(await other.ask(bindMessage({ host, sessionId: replayed }))));
  assert.deepEqual(signer.evidence().refusals, ['not-bound', 'session-differs']);
});

test('it signs twice and not a third time, over all connections', async (t) => {
  const { signer, keyBlob } = await openRig(t);
  const askings = await Promise.all(Array.from({ length: 4 }, () => connect(t, signer)));
  const answers = await Promise.all(
    askings.map(async ({ ask }) => {
      await ask(bindMessage({ host, sessionId }));
      return ask(signMessage(keyBlob, loginData({ sessionId, keyBlob })));
    }),
  );
  assert.equal(answers.filter((answer) => answer?.[0] === 14).length, signaturesMax);
  assert.equal(answers.filter(isFailure).length, 4 - signaturesMax);
  assert.equal(signer.evidence().signed, signaturesMax);
  assert.deepEqual(signer.evidence().refusals, ['too-many-signatures', 'too-many-signatures']);
});

test('a key that was revoked meanwhile, is another one, or cannot be opened, signs nothing', async (t) => {
  const other = await createOpensshKey(random, 'other');
  const ways: readonly [() => Promise<Buffer | undefined>, string][] = [
    [async () => undefined, 'key-gone'],
    [async () => other.privateFile, 'key-unreadable'],
    [async () => Buffer.from('-----BEGIN\nAAAA\n-----END'), 'key-unreadable'],
    [async () => Buffer.from('erased'), 'key-unreadable'],
    [() => Promise.reject(new Error('no database')), 'key-unreadable'],
  ];
  for (const [open, reason] of ways) {
    const { signer, keyBlob } = await openRig(t, { open });
    const { ask } = await connect(t, signer);
    await ask(bindMessage({ host, sessionId }));
    assert.ok(isFailure(await ask(signMessage(keyBlob, loginData({ sessionId, keyBlob })))));
    assert.deepEqual(signer.evidence().refusals, [reason]);
    assert.equal((await ask(identities))?.[0], 12);
  }
});

test('messages that are too long or too many end their connection', async (t) => {
  const { signer } = await openRig(t);
  const long = await connect(t, signer);
  assert.equal(await long.ask(Buffer.alloc(messageBytesMax + 1)), undefined);
  const many = await connect(t, signer);
  for (let count = 0; count < messagesMax; count += 1) {
    assert.equal((await many.ask(identities))?.[0], 12);
  }
  assert.equal(await many.ask(identities), undefined);
  assert.deepEqual(signer.evidence().refusals, ['message-too-long', 'too-many-messages']);
});

test('connections have a number, in all', async (t) => {
  const { signer } = await openRig(t);
  for (let count = 0; count < connectionsMax; count += 1) {
    const { ask, socket } = await connect(t, signer);
    assert.equal((await ask(identities))?.[0], 12);
    socket.destroy();
  }
  const { ask } = await connect(t, signer);
  assert.equal(await ask(identities), undefined);
  assert.deepEqual(signer.evidence().refusals, ['too-many-connections']);
});

test('AG4: after its life it is gone, with its connections and its file; the evidence stays', async (t) => {
  const { signer, clock, directory } = await openRig(t);
  const { ask, socket } = await connect(t, signer);
  await ask(identities);
  const closed = once(socket, 'close');
  await clock.advance(lifeMs);
  await closed;
  await signer[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(directory), []);
  assert.equal(signer.evidence().identitiesAsked, true);
  assert.equal(clock.pendingTimers, 0);
});

test('closed by its owner it leaves no file, no timer, no connection', async (t) => {
  const { signer, clock, directory } = await openRig(t);
  const { socket } = await connect(t, signer);
  const closed = once(socket, 'close');
  await signer[Symbol.asyncDispose]();
  await closed;
  assert.deepEqual(await readdir(directory), []);
  assert.equal(clock.pendingTimers, 0);
});

test('the socket is 0600 in a directory that is made 0700', async (t) => {
  const directory = await mkdtemp(joinPath(tmpdir(), 'clf-signer-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o755);
  const { signer } = await openRig(t, { directory });
  assert.equal((await stat(signer.socketPath)).mode & 0o777, 0o600);
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
});

test('a directory that is not ours alone is refused', { skip: cannotMakeUsers }, async (t) => {
  await using user = await makeUnixUser();
  await assert.rejects(openRig(t, { directory: user.home }), { code: 'signer-unsafe' });
});

test('another user cannot connect', { skip: cannotMakeUsers }, async (t) => {
  await using user = await makeUnixUser();
  const { signer } = await openRig(t);
  const asked = run('/usr/bin/ssh-add', ['-l'], {
    env: { SSH_AUTH_SOCK: signer.socketPath },
    uid: user.uid,
    gid: user.gid,
    cwd: '/',
  });
  await assert.rejects(asked, /Permission denied/);
  const own = await run('/usr/bin/ssh-add', ['-l'], { env: { SSH_AUTH_SOCK: signer.socketPath } });
  assert.match(own.stdout, /clawdfather-test \(ED25519\)/);
});

test('what cannot work is said before there is a socket', async (t) => {
  const long = joinPath(tmpdir(), 'x'.repeat(100));
  await assert.rejects(openRig(t, { directory: long }), { code: 'signer-path-too-long' });
  for (const publicKey of [
    '',
    'ssh-rsa AAAA',
    `ssh-ed25519 ${join('ssh-ed25519', 'x').toString('base64')}`,
  ]) {
    await assert.rejects(openRig(t, { publicKey }), { code: 'public-key-invalid' });
  }
});
