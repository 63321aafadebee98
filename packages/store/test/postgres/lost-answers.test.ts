/*
 * PostgreSQL goes away at the worst moments: no effect is lost and none is doubled where an idempotency key is used, and
 * where none is, nobody guesses.
 */
import assert from 'node:assert/strict';
import type { AccountStore, Store } from '@clawdfather/store';
import { openPostgresProxy, type PostgresProxy } from '@clawdfather/testkit';
import { type Backend, onPostgres } from '../backends.ts';
import { createToken, createWorld } from '../world.ts';

/* Silence is noticed after this; everything that answers does so in a few milliseconds. */
const answerMs = 1_500;

type Scene = {
  readonly proxy: PostgresProxy;
  /** Through the proxy. */
  readonly store: Store;
  readonly account: AccountStore;
  readonly sessionId: string;
};

async function withProxy(backend: Backend, body: (scene: Scene) => Promise<void>): Promise<void> {
  const world = await createWorld(await backend.open());
  await using proxy = await openPostgresProxy(backend.server!.socketPath);
  const connectionString = backend.address!.through(proxy.port);
  const store = await backend.open({ kind: 'postgres', connectionString, poolMax: 2, answerMs });
  await body({ ...world, proxy, store, account: store.forAccount(world.account.accountId) });
  await store.close();
}

/** Entries of the audit log count, too: a token of the same name would not be made twice. */
async function effects({ account }: Scene): Promise<number> {
  const [token, ...more] = await account.apiTokens.list();
  assert.deepEqual(more, []);
  if (token === undefined) return 0;
  return (await account.auditLog.list({ target: token.id })).entries.length;
}

for (const fault of ['reset', 'half', 'freeze'] as const) {
  onPostgres(`an answer to COMMIT that is lost (${fault}): with a key, one effect`, (backend) =>
    withProxy(backend, async (scene) => {
      const { account, proxy } = scene;
      const swallowed = proxy.strike(fault, 'COMMIT');
      const outcome = await account.once({
        key: 'k',
        requestHash: 'h',
        work: async (queries) => (await createToken(queries, 'new')).outcome,
      });
      await swallowed;
      /* It found that it had been done. */
      assert.deepEqual(outcome, { outcome: 'repeated', result: 'created' });
      assert.equal(await effects(scene), 1);
    }),
  );

  onPostgres(
    `an answer to COMMIT that is lost (${fault}): without a key, nobody guesses`,
    (backend) =>
      withProxy(backend, async (scene) => {
        const { account, proxy } = scene;
        const swallowed = proxy.strike(fault, 'COMMIT');
        const attempt = createToken(account, 'new');
        await assert.rejects(attempt, { code: 'outcome-unknown' });
        await swallowed;
        assert.equal(await effects(scene), 1, 'done once, not repeated');
      }),
  );

  onPostgres(`an answer before COMMIT that is lost (${fault}): done again, one effect`, (backend) =>
    withProxy(backend, async (scene) => {
      const { account, proxy } = scene;
      const swallowed = proxy.strike(fault, 'insert into "api_tokens"');
      const made = await createToken(account, 'new');
      await swallowed;
      assert.equal(made.outcome, 'created');
      assert.equal(await effects(scene), 1);
    }),
  );

  onPostgres(`an answer to a read that is lost (${fault}): read again`, (backend) =>
    withProxy(backend, async ({ account, sessionId, proxy }) => {
      const swallowed = proxy.strike(fault, 'from "session_leases"');
      const session = await account.sessions.get(sessionId);
      await swallowed;
      assert.equal(session?.id, sessionId);
    }),
  );
}

onPostgres('a server that is not there is unreachable, and readiness says so', async (backend) => {
  const store = await backend.open();
  await using proxy = await openPostgresProxy(backend.server!.socketPath);
  const connectionString = backend.address!.through(proxy.port);
  const far = await backend.open({ kind: 'postgres', connectionString, answerMs, retryForMs: 50 });
  assert.equal((await far.readiness()).isReady, true);
  await proxy[Symbol.asyncDispose]();
  assert.deepEqual((await far.readiness()).database, 'down');
  await assert.rejects(far.system.accounts.list(), { code: 'store-unreachable' });
  assert.equal((await store.readiness()).isReady, true);
});
