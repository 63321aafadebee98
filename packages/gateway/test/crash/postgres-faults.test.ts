/*
 * A gateway whose PostgreSQL loses answers, or is killed and comes back: what was acknowledged is there, and what is sent again
 * with its key happens once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresProxy, type ProxyFault, usePostgres } from '@clawdfather/testkit';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const postgres = usePostgres();
const { skip } = postgres;

/* More than a request has exchanges with the database: the last ones strike nothing, and say so. */
const exchangesMax = 16;
/* A resend too many: something is broken for good. */
const attemptsMax = 10;

test('whichever answer of the database is lost, a session with a key is started once', {
  skip,
}, async () => {
  const { server } = postgres;
  const address = await server.createDatabase();
  await using proxy = await openPostgresProxy(server.socketPath);
  const connectionString = address.through(proxy.port);
  await using rig = await openTestGateway({
    config: { database: { kind: 'postgres', connectionString } },
  });
  const me = callerOf(rig.url, rig.owner.token);
  let struck = 0;
  for (const fault of ['dropped', 'reset', 'half'] satisfies readonly ProxyFault[]) {
    for (let exchange = 1; exchange <= exchangesMax; exchange += 1) {
      const key = `${fault}-${exchange}`;
      await forgetLimit(rig);
      let isStruck = false;
      const strike = proxy.strike(fault, exchange).then(() => {
        isStruck = true;
      });
      const id = await startUntilAcknowledged(me, key);
      const again = await me.post('/api/v1/sessions', {}, { 'idempotency-key': key });
      assert.deepEqual([again.status, again.body.session?.id], [201, id], key);
      const open = await me.get('/api/v1/sessions?status=active');
      assert.equal(open.body.total, 1, `${key}: one session, not two`);
      await untilDone(() => me.delete(`/api/v1/sessions/${id}`));
      if (isStruck) {
        await strike;
        struck += 1;
      }
    }
  }
  assert.ok(struck >= 12, `only ${struck} faults struck`);
  const audit = await me.get('/api/v1/audit?limit=100&action=session.start');
  assert.equal(
    new Set(audit.body.entries.map(({ target }: { target: string }) => target)).size,
    audit.body.entries.length,
  );
});

test('while the database is gone nothing fails otherwise than as unavailable, and it comes back by itself', {
  skip,
}, async () => {
  const { server } = postgres;
  const { connectionString } = await server.createDatabase();
  await using rig = await openTestGateway({
    config: { database: { kind: 'postgres', connectionString } },
  });
  const me = callerOf(rig.url, rig.owner.token);
  const ask = createAsk(rig);
  for (const manner of ['crash', 'restart'] as const) {
    const stop = new AbortController();
    const acknowledged: number[] = [];
    const statuses = new Set<number>();
    const writing = (async () => {
      for (let seconds = 600; !stop.signal.aborted; seconds += 1) {
        const body = { idle_timeout_seconds: seconds };
        const { status } = await ask('PATCH', 'settings', { body });
        statuses.add(status);
        if (status === 200) acknowledged.push(seconds);
      }
    })();
    await server.restartBy(manner);
    await untilDone(() => me.get('/readyz'));
    stop.abort();
    await writing;
    assert.ok(acknowledged.length > 0);
    for (const status of statuses) assert.ok([200, 503].includes(status), `answered ${status}`);
    const { body } = await untilDone(() => me.get('/api/v1/settings'));
    assert.ok(
      body.idle_timeout_seconds >= Math.max(600, ...acknowledged),
      'what was acknowledged holds',
    );
  }
});

async function startUntilAcknowledged(me: ApiCaller, key: string): Promise<string> {
  const { body } = await untilDone(() =>
    me.post('/api/v1/sessions', {}, { 'idempotency-key': key }),
  );
  return body.session.id;
}

/* Sends it again for as long as the answer is `unavailable`, as a client would. */
async function untilDone(ask: () => ReturnType<ApiCaller['get']>) {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ask();
    if (answer.status < 300) return answer;
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    assert.ok(attempt < attemptsMax, 'it does not come back');
  }
}

async function forgetLimit({ gateway, owner }: TestGateway): Promise<void> {
  const scope = 'POST /api/v1/sessions';
  await gateway.store.system.rateLimits.forget({ scope, subject: owner.accountId });
}
