/*
 * The clean-up: what goes and when, what stays, and that it never takes long at a time.
 */
import assert from 'node:assert/strict';
import type { ThreadRows } from '@clawdfather/agents';
import type { AccountStore, Store } from '@clawdfather/store';
import { auditKeptMs, cleanupRowsMax, endedKeptMs, eventsKeptMs } from '../../src/limits.ts';
import { busyThread, changeOf, committed } from '../account/threads/thread-rows.ts';
import { onBoth } from '../backends.ts';
import { audit, createAccount, createWorld, owner, userCloses } from '../world.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const nothing = {
  oauth_states: 0,
  login_links: 0,
  login_codes: 0,
  idempotency_keys: 0,
  rate_limits: 0,
  mcp_sessions: 0,
  app_sessions: 0,
  api_tokens: 0,
  session_leases: 0,
  notices: 0,
  gateway_starts: 0,
  agent_runs: 0,
  audit_log: 0,
};

/** Without the events that everything leaves behind: they have a test of their own. */
async function removeExpired(store: Store): Promise<Readonly<Record<string, number>>> {
  const { account_events: _events, ...removed } = await store.system.cleanup.removeExpired();
  return removed;
}

onBoth('what has a short life goes at its end, and nothing else', async ({ open, clock }) => {
  const store = await open();
  const { account } = await createWorld(store);
  const { system } = store;
  await account.devices.create({ tokenHash: 'h', device: 'phone', audit });
  const { id: deviceId } = (await account.devices.list())[0] ?? { id: '' };
  const expiresAtMs = clock.wallMs() + 2 * minuteMs;
  await account.loginCodes.create({ deviceId, codeHash: 'c', linkHash: 'l', expiresAtMs, audit });
  await account.once({ key: 'k', requestHash: 'h', work: async () => 1 });
  await system.signIns.saveLink({ linkHash: 'l', accountId: account.accountId });
  await system.signIns.saveState({
    stateHash: 's',
    provider: 'github',
    verifier: 'v',
    browserHash: 'b',
    redirectUri: '/',
  });
  await system.rateLimits.hit({ scope: 'a', subject: 'b', hitsMax: 1, windowMs: minuteMs });
  assert.deepEqual(await removeExpired(store), nothing);
  clock.advance(11 * minuteMs);
  const short = { oauth_states: 1, login_links: 1, login_codes: 1, rate_limits: 1 };
  assert.deepEqual(await removeExpired(store), { ...nothing, ...short });
  clock.advance(dayMs);
  assert.deepEqual(await removeExpired(store), { ...nothing, idempotency_keys: 1 });
  assert.equal((await account.connections.list()).total, 1);
  assert.equal((await account.devices.list()).length, 1);
});

onBoth('devices and tokens stay for 30 days after they end', async ({ open, clock }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  const device = { device: 'phone', audit };
  const { id: revoked } = await account.devices.create({ tokenHash: 'd1', ...device });
  await account.devices.create({ tokenHash: 'd2', ...device });
  const token = { scopes: ['read'] as const, audit };
  const made = await account.apiTokens.create({ tokenHash: 't1', label: 'one', ...token });
  await account.apiTokens.create({ tokenHash: 't2', label: 'two', ...token });
  assert.equal(made.outcome, 'created');
  await account.devices.revoke({ id: revoked, audit });
  await account.apiTokens.revoke({ id: made.token.id, audit });
  clock.advance(endedKeptMs - minuteMs);
  assert.deepEqual(await removeExpired(store), nothing);
  clock.advance(2 * minuteMs);
  /* The others have only just expired. */
  assert.deepEqual(await removeExpired(store), { ...nothing, app_sessions: 1, api_tokens: 1 });
  clock.advance(endedKeptMs);
  assert.deepEqual(await removeExpired(store), { ...nothing, app_sessions: 1, api_tokens: 1 });
});

onBoth('ended sessions go after 30 days, open ones stay', async (backend) => {
  const store = await backend.open();
  const { account, sessionId: active } = await createWorld(store);
  const create = async (): Promise<string> => {
    const made = await account.sessions.create({ agent: 'claude', owner, openMax: 9, audit });
    assert.equal(made.outcome, 'created');
    return made.session.id;
  };
  const [closed, pending] = [await create(), await create()];
  await account.sessions.change(closed, userCloses);
  backend.clock.advance(endedKeptMs - minuteMs);
  assert.deepEqual(await removeExpired(store), nothing);
  backend.clock.advance(2 * minuteMs);
  assert.deepEqual(await removeExpired(store), { ...nothing, session_leases: 1 });
  const { items } = await account.sessions.list();
  assert.deepEqual(items.map(({ id }) => id).toSorted(), [active, pending].toSorted());
});

onBoth("agents' runs go 30 days after their end, their threads stay", async (backend) => {
  const store = await backend.open();
  const { threads } = await createAccount(store, 'ann');
  const busy = await busyThread(threads, 'a');
  const endedAtMs = backend.clock.wallMs();
  const endOf = async (rows: ThreadRows, state: 'closed' | 'lost') =>
    committed(
      threads,
      rows,
      changeOf(rows, {
        rows: { run: undefined, calls: new Map(), asks: new Map() },
        endedRun: { ...rows.run!, state, endedAtMs },
      }),
    );
  const after = await endOf(busy, 'closed');
  await endOf(await busyThread(threads, 'b'), 'lost');
  backend.clock.advance(endedKeptMs - minuteMs);
  assert.deepEqual(await removeExpired(store), nothing);
  backend.clock.advance(2 * minuteMs);
  assert.deepEqual(await removeExpired(store), { ...nothing, agent_runs: 2 });
  assert.deepEqual(await threads.endedRuns(busy.thread.id), []);
  const { thread, turn } = (await threads.load(busy.thread.id))!;
  assert.deepEqual([thread, turn], [after.thread, after.turn]);
});

onBoth('the audit log loses its oldest entries and says so', async (backend) => {
  const { clock } = backend;
  const store = await backend.open();
  const engine = await backend.openEngine();
  const rangeOf = ({ accountId }: AccountStore) =>
    engine.read((db) =>
      db
        .selectFrom('audit_heads')
        .select(['kept_from_seq', 'seq'])
        .where('account_id', '=', accountId)
        .executeTakeFirst(),
    );
  const account = await createAccount(store, 'ann');
  const other = await createAccount(store, 'bob');
  const record = (action: string) => account.auditLog.record({ action, actor: 'test' });
  await record('old');
  await store.system.auditLog.record({ action: 'auth.refused', actor: 'test' });
  clock.advance(200 * dayMs);
  await record('young');
  assert.deepEqual(await rangeOf(account), { kept_from_seq: 1, seq: 3 });
  clock.advance(auditKeptMs - 200 * dayMs);
  /* The sign-ins of both, `old`, and the one that belongs to nobody. */
  assert.deepEqual(await removeExpired(store), { ...nothing, audit_log: 4 });
  assert.deepEqual(await removeExpired(store), nothing);
  assert.deepEqual(await rangeOf(account), { kept_from_seq: 3, seq: 3 });
  assert.deepEqual(await rangeOf(other), { kept_from_seq: 2, seq: 1 });
  assert.equal(await record('next'), 4, 'numbers go on');
  const { entries, hasMore } = await account.auditLog.list();
  assert.deepEqual([entries.map(({ seq }) => seq), hasMore], [[4, 3], false]);

  await store.system.cleanup.removeExpired({ auditKeptMs: 0 });
  assert.deepEqual(await rangeOf(account), { kept_from_seq: 5, seq: 4 });
});

onBoth('an entry that a clock set back dated young keeps what follows it', async (backend) => {
  const store = await backend.open();
  const account = await createAccount(store, 'ann');
  backend.clock.advance(10 * dayMs);
  await account.auditLog.record({ action: 'young', actor: 'test' });
  backend.clock.advance(-10 * dayMs);
  await account.auditLog.record({ action: 'back', actor: 'test' });
  backend.clock.advance(5 * dayMs);
  await store.system.cleanup.removeExpired({ auditKeptMs: dayMs });
  const { entries } = await account.auditLog.list();
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['back', 'young'],
  );
});

onBoth('much is removed in small transactions, and others come in between', async (backend) => {
  const store = await backend.open();
  const account = await createAccount(store, 'ann');
  const engine = await backend.openEngine();
  const many = 4 * cleanupRowsMax + 1;
  for (let first = 0; first < many; first += 200) {
    const rows = Array.from({ length: Math.min(200, many - first) }, (_, index) => ({
      account_id: account.accountId,
      key: `k${first + index}`,
      request_hash: 'h',
      result_json: null,
      created_at_ms: 0,
      expires_at_ms: 1,
    }));
    await engine.write((db) => db.insertInto('idempotency_keys').values(rows).execute());
  }
  const record = () => account.auditLog.record({ action: 'a', actor: 'b' });
  // A second connection would be opened for the first of them, and that may take longer than the whole clean-up.
  await Promise.all([record(), record()]);
  const cleaning = removeExpired(store);
  let isCleaning = true;
  void cleaning.finally(() => (isCleaning = false));
  let between = 0;
  for (; isCleaning; between += 1) await record();
  assert.equal((await cleaning)['idempotency_keys'], many);
  // Had the first one waited for all of it, there would be no second.
  assert.ok(between > 1, 'nobody waited for all of it');
});

onBoth('events of an account go after 30 days, and say so', async ({ open, clock }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  await busyThread(account.threads, 'a');
  const { seq } = await account.events.head();
  clock.advance(eventsKeptMs - minuteMs);
  await account.devices.create({ tokenHash: 'd', device: 'phone', audit });
  assert.equal((await store.system.cleanup.removeExpired())['account_events'], 0);
  clock.advance(2 * minuteMs);
  assert.equal((await store.system.cleanup.removeExpired())['account_events'], seq);
  assert.deepEqual(await account.events.head(), { seq: seq + 1, keptFromSeq: seq + 1 });
  assert.equal((await account.events.list({ after: 0, limit: 9 })).length, 1);
});

onBoth('what nobody looked at for a month leaves the inbox, then the database', async (backend) => {
  const { open, clock } = backend;
  const store = await open();
  const { notices, inbox } = await createAccount(store, 'ann');
  const input = (name: 'done' | 'approval') =>
    ({ class: name, key: name, subjectId: name }) as const;
  await notices.tell({ notices: [input('done'), input('approval')] });
  clock.advance(endedKeptMs + minuteMs);
  await store.system.cleanup.removeExpired();
  const { counts } = await inbox.look(9);
  // What wants an answer wants it for as long as it takes.
  assert.deepEqual([counts.done, counts.approval], [0, 1]);
  const [done] = (await notices.list()).items.filter((notice) => notice.class === 'done');
  assert.equal(done?.resolution, 'old');
  clock.advance(endedKeptMs + minuteMs);
  assert.equal((await store.system.cleanup.removeExpired())['notices'], 1);
});
