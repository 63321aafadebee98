/*
 * A signer for one login: an ssh-agent of our own on a private socket, which holds no key and signs for one host, one user and
 * one session (decide.ts says what it checks before).
 *
 * Stages: open (the socket listens) → bound (ssh proved its connection) → signed → closed, by its owner or after `lifeMs`.
 *
 * AG2 The guard against other users is the directory: 0700 and ours, checked, and the socket in it 0600. Node cannot read the
 *    credentials of a peer. A process of our own user could ask for a signature too; by SG1 to SG3 it gets one only for a
 *    login on the pinned host that it has opened itself, and only before ssh was bound.
 * AG4 After its life the signer answers nothing, whoever forgot to close it. A gateway that is killed leaves a socket that refuses;
 *    it goes with the directory.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock, Log, Random } from '@clawdfather/kit';
import { openPrivateDir } from '@clawdfather/kit/files';
import { SshError } from '../errors.ts';
import { parsePublicLine } from './public-line.ts';
import { serveConnection } from './serve-connection.ts';
import { createSignerAnswers, type SignerAnswers, type SignerEvidence } from './signer-answers.ts';

export interface SignerKey {
  readonly id: string;
  /* The line of `authorized_keys`. */
  readonly publicKey: string;
  /* The private file, in clear: `custody.open`. Overwritten here. `undefined`: there is no such key any more. */
  readonly open: () => Promise<Buffer | undefined>;
}

export interface SignerOptions {
  /* 0700; made where it is missing. */
  readonly directory: string;
  /* One, or the new and the old one while a key is being rotated; in the order in which ssh shall offer them. */
  readonly keys: readonly SignerKey[];
  readonly pinnedHostKeys: readonly Buffer[];
  readonly username: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
}

export interface Signer extends AsyncDisposable {
  readonly socketPath: string;
  /* Its socket has its name still: whoever wants to ask it can. */
  isThere(): boolean;
  /* Also after the signer was closed. */
  evidence(): SignerEvidence;
}

/* The whole start of a session has 30 s, so a login that takes longer has failed. */
export const lifeMs = 30_000;
/* The kernel's limit of a socket's path, without the closing zero. */
const pathBytesMax = 107;

/* Throws `signer-unsafe`, `signer-path-too-long`, `public-key-invalid`. */
export async function openSigner(options: SignerOptions): Promise<Signer> {
  const { directory, clock, random, pinnedHostKeys, username, log } = options;
  const keys = options.keys.map(({ id, publicKey, open }) => ({
    id,
    open,
    ...parsePublicLine(publicKey),
  }));
  const socketPath = join(directory, `sign-${random.id()}`);
  if (Buffer.byteLength(socketPath) > pathBytesMax) throw tooLong(socketPath);
  openPrivateDir(directory, ({ path, why }) => unsafe(path, why));
  const purpose = { keyBlobs: keys.map(({ blob }) => blob), pinnedHostKeys, username };
  const answers = createSignerAnswers({ purpose, keys, log });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => accept(socket, answers, sockets));
  server.listen(socketPath);
  await once(server, 'listening');
  await chmod(socketPath, 0o600);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= closeAll(server, sockets));
  const timer = clock.timer(lifeMs, () => void close());
  timer.unref();
  return {
    socketPath,
    isThere: () => existsSync(socketPath),
    evidence: () => answers.evidence(),
    [Symbol.asyncDispose]: async () => {
      timer.cancel();
      await close();
    },
  };
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  // Removes the socket's file too.
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

function accept(socket: Socket, answers: SignerAnswers, sockets: Set<Socket>): void {
  if (!answers.mayConnect()) return void socket.destroy();
  sockets.add(socket);
  void serveConnection(socket, {
    answer: answers.connect(),
    tooLong: () => answers.refuse('message-too-long'),
    tooMany: () => answers.refuse('too-many-messages'),
  }).then(() => sockets.delete(socket));
}

function unsafe(path: string, why: string): SshError {
  return new SshError('signer-unsafe', `a signer is not safe here: ${path}: ${why}`, {
    detail: { path },
    hint: 'The directory has to be yours alone (0700).',
  });
}

function tooLong(path: string): SshError {
  return new SshError('signer-path-too-long', `a socket's path has at most ${pathBytesMax} bytes`, {
    detail: { path },
    hint: 'Use a state directory with a shorter path.',
  });
}
