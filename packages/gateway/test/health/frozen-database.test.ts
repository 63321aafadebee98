/*
 * A PostgreSQL that is there and says nothing: health and readiness answer all the same, within their limit, and recover.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { openPostgresProxy, usePostgres } from '@clawdfather/testkit';
import { jsonOf } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const postgres = usePostgres();
const clock = createSystemClock();

test('a database that says nothing is unhealthy for everybody who asks, and healthy again when it speaks', {
  skip: postgres.skip,
}, async () => {
  const address = await postgres.server.createDatabase();
  await using proxy = await openPostgresProxy(postgres.server.socketPath);
  await using rig = await openTestGateway({
    config: { database: { kind: 'postgres', connectionString: address.through(proxy.port) } },
  });
  const ask = (path: string): Promise<Response> => fetch(new URL(path, rig.url));
  assert.equal((await ask('/readyz')).status, 200);

  // An answer is good for a second.
  await clock.sleep(1_000);
  proxy.silence();
  const answers = await Promise.all([ask('/health'), ask('/health'), ask('/readyz')]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  );
  const { status, active_sessions: sessions } = await jsonOf(answers[0]);
  assert.deepEqual([status, sessions], ['unhealthy', null]);
  // The file system is looked at all the same, and so is everything that needs no database.
  const metrics = await (await ask('/metrics')).text();
  assert.match(metrics, /^clawdfather_health_status\{status="unhealthy"\} 1$/m);
  assert.match(metrics, /^clawdfather_state_free_bytes \d+$/m);
  assert.doesNotMatch(metrics, /^clawdfather_active_sessions /m);

  proxy.unsilence();
  let last = 503;
  for (let tries = 0; last !== 200 && tries < 20; tries += 1) {
    await clock.sleep(500);
    last = (await ask('/health')).status;
  }
  assert.equal(last, 200);
  assert.equal((await ask('/readyz')).status, 200);
});
