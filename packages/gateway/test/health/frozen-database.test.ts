/*
 * A PostgreSQL that is there and says nothing: health and readiness answer all the same, within their limit, and recover.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { findPostgres, openPostgresServer } from '@clawdfather/testkit';
import { jsonOf } from '../fixtures/json-of.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const programs = findPostgres();
const clock = createSystemClock();

interface Tap extends Disposable {
  readonly port: number;
  /* Nothing passes, nothing is closed: as if the network had swallowed it. */
  freeze(): void;
  thaw(): void;
}

async function openTap(socketPath: string): Promise<Tap> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connect(socketPath);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      if (isFrozen) socket.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('a database that says nothing is unhealthy after 5 s for everybody who asks, and healthy again when it speaks', {
  skip: programs === undefined && 'PostgreSQL is not installed',
}, async () => {
  assert.ok(programs !== undefined);
  await using server = await openPostgresServer(programs);
  const address = await server.createDatabase();
  using tap = await openTap(server.socketPath);
  await using rig = await openTestGateway({
    config: { database: { kind: 'postgres', connectionString: address.through(tap.port) } },
  });
  const ask = (path: string): Promise<Response> => fetch(new URL(path, rig.url));
  assert.equal((await ask('/readyz')).status, 200);

  tap.freeze();
  const sinceMs = clock.monotonicMs();
  const answers = await Promise.all([ask('/health'), ask('/health'), ask('/readyz')]);
  const tookMs = clock.monotonicMs() - sinceMs;
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  );
  assert.ok(tookMs < 8000, `${tookMs} ms`);
  const { status, active_sessions: sessions } = await jsonOf(answers[0]);
  assert.deepEqual([status, sessions], ['unhealthy', null]);
  // The file system is looked at all the same, and so is everything that needs no database.
  const metrics = await (await ask('/metrics')).text();
  assert.match(metrics, /^clawdfather_health_status\{status="unhealthy"\} 1$/m);
  assert.match(metrics, /^clawdfather_state_free_bytes \d+$/m);
  assert.doesNotMatch(metrics, /^clawdfather_active_sessions /m);

  tap.thaw();
  let last = 503;
  for (let tries = 0; last !== 200 && tries < 20; tries += 1) {
    await clock.sleep(500);
    last = (await ask('/health')).status;
  }
  assert.equal(last, 200);
  assert.equal((await ask('/readyz')).status, 200);
});
