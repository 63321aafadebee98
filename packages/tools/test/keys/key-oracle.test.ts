/*
 * The key encoder beside tmux: what tmux sends to a program for a name is what we send for it, but for the differences
 * that are listed here with their reasons.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { encodeKeys, type KeyModes } from '../../src/keys/encode-keys.ts';
import { whyNot } from '../terminal/program-rig.ts';

const run = promisify(execFile);
const fixture = fileURLToPath(new URL('../fixtures/send-input.ts', import.meta.url));

/* Sent after each key, to know where it ends. No key of the lists below sends it. */
const mark = '~mark~';

/* A program inside tmux; resolves to what it receives for a key. */
async function openTmux(context: TestContext, sequences: string) {
  const directory = mkdtempSync(join(tmpdir(), 'clf-tmux-'));
  const server = createServer();
  const connected = Promise.withResolvers<Socket>();
  server.once('connection', connected.resolve);
  const path = join(directory, 'socket');
  const listening = Promise.withResolvers<void>();
  server.listen(path, listening.resolve);
  await listening.promise;
  const tmux = (...args: string[]) =>
    run('tmux', ['-S', join(directory, 'tmux'), '-f', '/dev/null', ...args]);
  await tmux('new-session', '-d', '-s', 'keys', process.execPath, fixture, path, sequences);
  const socket = await connected.promise;
  context.after(async () => {
    // The fixture ends with the socket, the session with the fixture, the server with the session.
    const ended = Promise.withResolvers<void>();
    server.close(() => ended.resolve());
    socket.destroy();
    await ended.promise;
    await tmux('kill-server').catch(() => {});
    rmSync(directory, { recursive: true, force: true });
  });
  let received = '';
  let arrival = Promise.withResolvers<void>();
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    arrival.resolve();
    arrival = Promise.withResolvers();
  });
  const until = async (end: string): Promise<string> => {
    while (!received.includes(end)) await arrival.promise;
    const [before = ''] = received.split(end);
    received = received.slice(before.length + end.length);
    return before;
  };
  // The first thing that arrives shows that the sequences before it were seen.
  await tmux('send-keys', '-t', 'keys', '-l', mark);
  await until(mark);
  return async (key: string): Promise<string> => {
    await tmux('send-keys', '-t', 'keys', key);
    await tmux('send-keys', '-t', 'keys', '-l', mark);
    return until(mark);
  };
}

function ours(key: string, modes: KeyModes): string {
  const encoded = encodeKeys({ keys: [key] }, modes);
  assert.ok(encoded.ok, key);
  return Buffer.from(encoded.bytes).toString('latin1');
}

const alike =
  'a A 1 é ^a C-x C-A M-x M-X M-é C-M-x C-@ C-Space C-[ C-] C-\\ C-^ C-_ C-/ C-? C-2 Enter M-Enter Tab M-Tab BTab Escape ' +
  'Space M-Space BSpace M-BSpace Up Down Left Right C-Up M-Up S-Up C-S-Up C-M-Up C-M-S-Up C-Home C-End S-Left ' +
  'PgUp PageUp PPage PgDn PageDown NPage IC Insert DC Delete C-PgUp C-IC S-DC F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 ' +
  'F12 C-F1 S-F1 M-F5 C-F12 KP0 KP1 KP9 KP/ KP* KP- KP+ KP. M-KP0';

/* Programs inside tmux see the terminal `screen`, whose keys these are; ours see an xterm. */
const different: readonly (readonly [key: string, tmux: string, ours: string])[] = [
  ['Home', '\u001b[1~', '\u001b[H'],
  ['End', '\u001b[4~', '\u001b[F'],
  // An xterm sends a return for both Enter keys.
  ['KPEnter', '\n', '\r'],
  // tmux types what it does not know as text; these are names to us.
  ['S-Tab', 'S-Tab', '\u001b[Z'],
  ['Esc', 'Esc', '\u001b'],
];

test('names mean what they mean in tmux', { skip: whyNot('tmux') }, async (context) => {
  const tmux = await openTmux(context, '');
  const modes = { applicationCursor: false, applicationKeypad: false };
  for (const key of alike.split(' ')) assert.equal(ours(key, modes), await tmux(key), key);
  for (const [key, theirs, expected] of different) {
    assert.equal(ours(key, modes), expected, key);
    assert.equal(await tmux(key), theirs, key);
  }
});

test('and in application mode', { skip: whyNot('tmux') }, async (context) => {
  const tmux = await openTmux(context, '\u001b[?1h\u001b=');
  const modes = { applicationCursor: true, applicationKeypad: true };
  const keys = 'Up Down Left Right C-Up F1 PgUp KP0 KP5 KP9 KP/ KP* KP- KP+ KP. KPEnter M-KP0';
  for (const key of keys.split(' ')) assert.equal(ours(key, modes), await tmux(key), key);
});
