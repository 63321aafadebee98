/*
 * The link under a peer that misbehaves: what concerns one run stays with it,
 * what breaks the stream ends it, once.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import {
  createMessageLink,
  type MessageLink,
  type MessageLinkOptions,
} from '../src/client/message-link.ts';
import { startProgram } from '../src/client/start-program.ts';
import { shimBinaryPath } from '../src/index.ts';

const options = { timeout: 20_000 };

interface Pair {
  readonly link: MessageLink;
  readonly socket: Socket;
  readonly peer: Socket;
  readonly said: string[];
  /* Resolves when so many things have been said. */
  readonly heard: (count: number) => Promise<void>;
}

async function linkAndPeer(t: TestContext, options: MessageLinkOptions = {}): Promise<Pair> {
  const server = createServer();
  server.listen(join(tmpdir(), `clf-link-${createSystemRandom().id()}`));
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'string');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect(address);
  const [peer] = await accepted;
  if (socket.connecting) await once(socket, 'connect');
  peer.on('error', () => {});
  t.after(() => {
    peer.destroy();
    socket.destroy();
    server.close();
  });
  const said: string[] = [];
  const waiters = new Set<() => void>();
  const say = (word: string): void => {
    said.push(word);
    for (const wake of waiters) wake();
  };
  const events = {
    onAnswer: (id: number, answer: { readonly type: string }) => say(`${id} ${answer.type}`),
    onNonsense: (id: number, error: { readonly code: string }) =>
      say(`${id} nonsense ${error.code}`),
    onLost: (error: { readonly code: string }) => say(`lost ${error.code}`),
  };
  const link = createMessageLink(socket, events, options);
  const heard = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (said.length >= count) resolve();
      };
      waiters.add(look);
      look();
    });
  return { link, socket, peer, said, heard };
}

function frame(type: number, id: number, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32LE(8 + payload.length, 0);
  bytes.writeUInt8(type, 4);
  bytes.writeUInt32LE(id, 8);
  return Buffer.concat([bytes, payload]);
}

test('nonsense about one run is told to it alone, and the link goes on', options, async (t) => {
  const { peer, said, heard } = await linkAndPeer(t);
  peer.write(frame(66, 1, Buffer.alloc(8)));
  peer.write(frame(65, 2, Buffer.from('{"pid":"not a number"}')));
  peer.write(frame(250, 3, Buffer.alloc(3)));
  peer.write(frame(66, 4, Buffer.alloc(8)));
  await heard(3);
  assert.deepEqual(said, ['1 doorbell', '2 nonsense message-invalid', '4 doorbell']);
});

test('bytes that are no frames end the link, once', options, async (t) => {
  const { link, peer, said, heard } = await linkAndPeer(t);
  peer.write(Buffer.concat([frame(66, 1, Buffer.alloc(8)), Buffer.alloc(64, 0xff)]));
  peer.write(frame(66, 2, Buffer.alloc(8)));
  await heard(2);
  await once(peer, 'close');
  assert.deepEqual(said, ['1 doorbell', 'lost link-lost']);
  assert.equal(link.isLost, true);
  assert.throws(() => link.send(Buffer.alloc(1)), { code: 'link-lost' });
});

test('a gathering link sends in one piece what it is given in one tick', options, async (t) => {
  const { link, peer } = await linkAndPeer(t, { isGathering: true });
  for (let count = 0; count < 50; count += 1) link.send(Buffer.alloc(100, count));
  const [chunk] = (await once(peer, 'data')) as [Buffer];
  assert.equal(chunk.length, 5_000);
});

test('another link has sent what it was given before it returns', options, async (t) => {
  const { link, socket, peer } = await linkAndPeer(t);
  link.send(Buffer.from('k'));
  assert.equal(socket.writableLength, 0, 'the kernel has it');
  const [chunk] = (await once(peer, 'data')) as [Buffer];
  assert.equal(chunk.toString(), 'k');
});

test('a peer that never reads is reported before memory runs out', options, async (t) => {
  const { link } = await linkAndPeer(t);
  const piece = Buffer.alloc(1024 * 1024);
  assert.throws(
    () => {
      for (let count = 0; count < 100; count += 1) link.send(piece);
    },
    { code: 'link-congested' },
  );
});

test('a closed link is silent', options, async (t) => {
  const { link, peer, said } = await linkAndPeer(t);
  link.send(Buffer.from('last words'));
  link.close();
  peer.write(frame(66, 1, Buffer.alloc(8)));
  const [chunk] = (await once(peer, 'data')) as [Buffer];
  assert.equal(chunk.toString(), 'last words');
  await new Promise((resolve) => peer.once('close', resolve));
  assert.deepEqual(said, []);
});

test('a program that is there but cannot run is no silent failure', options, () => {
  assert.throws(() => startProgram('spawnd', { binaryPath: '/etc/passwd' }), {
    code: 'shim-missing',
  });
  assert.match(shimBinaryPath(), /clawdfather-shim$/);
});
