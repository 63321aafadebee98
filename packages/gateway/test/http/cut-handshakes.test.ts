/*
 * Whoever connects to a server with TLS and says nothing.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createAllowedNames } from '../../src/http/allowed-names.ts';
import { createServer } from '../../src/http/create-server.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const skip = hasOpenssl ? false : 'no openssl here';

async function openServer(directory: string, arrivalMs: number) {
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const kind = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 5 -subj /CN=test';
  const files = ['-keyout', key, '-out', cert];
  const made = spawnSync('openssl', ['req', '-x509', ...kind.split(' '), ...files]);
  assert.equal(made.status, 0, String(made.stderr));
  const server = createServer({
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: silentLog,
    names: createAllowedNames({ publicUrl: undefined, port: () => 0, isTls: true }),
    tls: { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') },
    trustedProxies: [],
    gatewayHeader: () => undefined,
    enterTrace: (_trace, next) => next(),
    onDone: () => {},
    arrival: { msMax: arrivalMs, lookMs: 50 },
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, port: Number(new URL(url).port) };
}

test('a stop does not wait for a handshake that never comes', { skip }, async () => {
  await using directory = await makeTemporary();
  const { server, port } = await openServer(directory.path, 60_000);
  const silent = connect(port, '127.0.0.1');
  const ended = once(silent.resume(), 'close');
  // A connection after it that has shaken hands: so the server has that one too.
  const other = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(other, 'secureConnect');
  other.on('error', () => {});
  await server.close();
  await ended;
  other.destroy();
});

test('a handshake that never comes costs its connection', { skip }, async () => {
  await using directory = await makeTemporary();
  const { server, port } = await openServer(directory.path, 100);
  const silent = connect(port, '127.0.0.1');
  silent.on('error', () => {});
  await once(silent.resume(), 'close');
  await server.close();
});
