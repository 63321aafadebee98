/*
 * Every exchange with PostgreSQL is broken once, in every way the proxy knows: the request dropped, the answer swallowed, cut in
 * half, or never coming. With an idempotency key the effect happens exactly once; without one it happens at most once, and
 * only where nobody can know the outcome is unknown. Afterwards the pool works as before.
 */
import assert from 'node:assert/strict';
import { type AccountStore, StoreError } from '@clawdfather/store';
import {
  openPostgresProxy,
  type PostgresProxy,
  type ProxyFault,
  proxyFaults,
} from '@clawdfather/testkit';
import { type Backend, onPostgres } from '../backends.ts';
import { createToken, createWorld } from '../world.ts';

/* Silence is noticed after this; where silence is not the fault, never. */
const answerMsOf = (fault: ProxyFault): number => (fault === 'freeze' ? 400 : 20_000);
/* A connection and one to spare, so that one that stays broken is met at once. */
const poolMax = 2;

interface Scene {
  readonly proxy: PostgresProxy;
  /** Through the proxy. */
  readonly account: AccountStore;
  /** Past it. */
  readonly direct: AccountStore;
  readonly sessionId: string;
}

async function openScene(
  backend: Backend,
  proxy: PostgresProxy,
  fault: ProxyFault,
): Promise<Scene> {
  const answerMs = answerMsOf(fault);
  const { account: direct, sessionId } = await createWorld(await backend.open());
  const connectionString = backend.address!.through(proxy.port);
  const store = await backend.open({ kind: 'postgres', connectionString, poolMax, answerMs });
  return { proxy, account: store.forAccount(direct.accountId), direct, sessionId };
}

const createOnce = ({ account }: Scene, label: string) =>
  account.once({
    key: label,
    requestHash: 'h',
    work: async (queries) => (await createToken(queries, label)).outcome,
  });

const createPlainly = ({ account }: Scene, label: string) => createToken(account, label);

/** How many exchanges it takes on a connection that has done it before. */
async function countExchanges(scene: Scene, act: (label: string) => Promise<unknown>) {
  await act('warm');
  const before = scene.proxy.requests();
  await act('count');
  return scene.proxy.requests() - before;
}

/** Entries of the audit log count, too: a token of the same name would not be made twice. */
async function effectsOf({ direct }: Scene, label: string): Promise<number> {
  const token = (await direct.apiTokens.list()).find((each) => each.label === label);
  if (token === undefined) return 0;
  return (await direct.auditLog.list({ target: token.id })).entries.length;
}

async function checkPool({ account, sessionId }: Scene): Promise<void> {
  const found = await Promise.all(
    Array.from({ length: poolMax * 3 }, () => account.sessions.get(sessionId)),
  );
  assert.ok(found.every((session) => session?.id === sessionId));
}

for (const fault of proxyFaults) {
  onPostgres(
    `every exchange of a keyed write is broken (${fault}): one effect`,
    async (backend) => {
      await using proxy = await openPostgresProxy(backend.server!.socketPath);
      const scene = await openScene(backend, proxy, fault);
      const exchanges = await countExchanges(scene, (label) => createOnce(scene, label));
      assert.ok(exchanges > 5);
      for (let at = 1; at <= exchanges; at += 1) {
        const label = `at ${at}`;
        const struck = proxy.strike(fault, at);
        const outcome = await createOnce(scene, label);
        await struck;
        assert.ok('result' in outcome && outcome.result === 'created', label);
        /* Only the last one, COMMIT, leaves something behind to be found. */
        const isFound = at === exchanges && fault !== 'dropped';
        if (isFound) assert.equal(outcome.outcome, 'repeated', label);
        assert.equal(await effectsOf(scene, label), 1, label);
        await checkPool(scene);
      }
    },
  );

  onPostgres(`every exchange of a plain write is broken (${fault}): no guess`, async (backend) => {
    await using proxy = await openPostgresProxy(backend.server!.socketPath);
    const scene = await openScene(backend, proxy, fault);
    const exchanges = await countExchanges(scene, (label) => createPlainly(scene, label));
    for (let at = 1; at <= exchanges; at += 1) {
      const label = `at ${at}`;
      const struck = proxy.strike(fault, at);
      const outcome = await createPlainly(scene, label).then(
        ({ outcome: made }) => made,
        (error: unknown) => (error instanceof StoreError ? error.code : error),
      );
      await struck;
      const isCommit = at === exchanges;
      const effects = await effectsOf(scene, label);
      if (fault === 'freeze' && !isCommit && outcome === 'outcome-unknown') {
        /* A busy machine made the real COMMIT look silent, too. */
        assert.ok(effects <= 1, label);
      } else {
        assert.equal(outcome, isCommit ? 'outcome-unknown' : 'created', label);
        assert.equal(effects, isCommit && fault === 'dropped' ? 0 : 1, label);
      }
      await checkPool(scene);
    }
  });

  onPostgres(`a connection that breaks while it is made (${fault}): another`, async (backend) => {
    const { account: direct, sessionId } = await createWorld(await backend.open());
    await using proxy = await openPostgresProxy(backend.server!.socketPath);
    const connectionString = backend.address!.through(proxy.port);
    const struck = proxy.strike(fault, 1);
    const answerMs = answerMsOf(fault);
    const store = await backend.open({ kind: 'postgres', connectionString, poolMax, answerMs });
    await struck;
    const account = store.forAccount(direct.accountId);
    await checkPool({ proxy, account, direct, sessionId });
  });
}
