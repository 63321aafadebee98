/*
 * Every end of a session, over records in memory: what is stored, audited, told and done to its runs, and that it is told once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@clawdfather/kit';
import {
  adoptOrphans,
  closeIdle,
  closeRevoked,
  closeSession,
  createNewsDesk,
  keepBusySessions,
  nextSession,
  type SessionAudit,
  type SessionDeps,
  type SessionEvent,
  type SessionNews,
  type SessionRecord,
  type SessionState,
} from '@clawdfather/sessions';

const accountId = 'ann' as AccountId;
const owner = { instanceId: 'a', generation: 1 };
const successor = { instanceId: 'a', generation: 2 };
const name = { accountId, id: 's1' };
const createdAtMs = 1_000;
const nowMs = 60_000;

interface Rig {
  readonly deps: SessionDeps;
  readonly audit: SessionAudit[];
  readonly news: SessionNews[];
  /* Actor and closer of each end of its runs. */
  readonly endedRuns: (readonly (string | undefined)[])[];
  record(): SessionRecord;
  apply(event: SessionEvent): void;
}

function createRig(options: Partial<SessionDeps> & { readonly isPending?: boolean } = {}): Rig {
  const held = {
    epoch: 1,
    owner,
    ownerHeartbeatAtMs: createdAtMs,
    clientHeartbeatAtMs: createdAtMs,
  };
  let state: SessionState =
    options.isPending === true
      ? { ...held, status: 'pending' }
      : { ...held, status: 'active', startedAtMs: createdAtMs };
  const audit: SessionAudit[] = [];
  const told: SessionNews[] = [];
  const endedRuns: (readonly (string | undefined)[])[] = [];
  const record = (): SessionRecord => ({
    id: name.id,
    agent: '(none)',
    createdAtMs,
    startedAtMs: createdAtMs,
    ownerInstanceId: state.owner.instanceId,
    ...state,
  });
  const due = async () => [{ ...record(), accountId }];
  const deps: SessionDeps = {
    recordsOf: () => ({
      get: async () => record(),
      change: async (id, decide) => {
        if (id !== name.id) return { outcome: 'not_found' };
        // As a transaction that is run again.
        decide(state, nowMs);
        const decision = decide(state, nowMs);
        if (decision.outcome === 'unchanged') return { outcome: 'unchanged', session: record() };
        if (decision.outcome === 'refused') return { outcome: decision.why, session: record() };
        ({ state } = decision);
        audit.push(decision.audit);
        return { outcome: 'changed', session: record() };
      },
      clientSeen: async () => 'seen',
    }),
    due: { idle: due, orphaned: due, onRevokedKeys: due },
    closerOf: async () => undefined,
    runs: {
      busy: () => [name],
      isBusy: () => false,
      checkMayEnd: () => {},
      end: async (_session, actor, closedBy) => void endedRuns.push([actor, closedBy]),
    },
    keeper: { adopt: async () => 'gone' },
    news: createNewsDesk((news) => told.push(news)),
    ...options,
  };
  return {
    deps,
    audit,
    news: told,
    endedRuns,
    record,
    apply: (event) => {
      const step = nextSession(state, event, nowMs);
      assert.ok(step.outcome === 'changed');
      ({ state } = step);
    },
  };
}

const by = { actor: 'device:1', ip: '192.0.2.7', traceId: 't' };
const life = { lifeMs: nowMs - createdAtMs, idleMs: nowMs - createdAtMs };
const well = { error: undefined, errorCode: undefined, wasActive: true };

test('a session whose key is revoked is closed, and its runs end, once', async () => {
  const rig = createRig();
  await closeRevoked(rig.deps, owner);
  const { status, closeReason } = rig.record();
  assert.deepEqual([status, closeReason], ['closed', 'key_revoked']);
  assert.deepEqual(rig.endedRuns, [['cleanup', undefined]]);
  assert.equal(rig.audit.length, 1);
});

test('a close that is asked for: audited with who asked, told once, its runs end each time', async () => {
  const rig = createRig();
  const closed = await closeSession(rig.deps, name, { reason: 'user', by });
  assert.deepEqual([closed?.status, closed?.closeReason], ['closed', 'user']);
  await closeSession(rig.deps, name, { reason: 'server_closed', by });
  assert.equal(rig.record().closeReason, 'user');
  assert.deepEqual(rig.audit, [{ action: 'session.close', ...by }]);
  const session = { ...name, cause: 'closed', reason: 'user', traceId: 't', ...life };
  assert.deepEqual(rig.news, [{ type: 'ended', session: { ...session, ...well } }]);
  assert.deepEqual(rig.endedRuns, [
    ['device:1', undefined],
    ['device:1', undefined],
  ]);
});

test('one who may not end what runs in it closes nothing', async () => {
  const checkMayEnd = (): void => {
    throw new RangeError('no');
  };
  const { runs } = createRig().deps;
  const rig = createRig({ runs: { ...runs, checkMayEnd } });
  await assert.rejects(closeSession(rig.deps, name, { reason: 'user', by }), RangeError);
  assert.deepEqual([rig.record().status, rig.audit, rig.news], ['active', [], []]);
});

test('there is nothing to close, and nothing is told', async () => {
  const rig = createRig();
  const nobody = { accountId, id: 'none' };
  assert.equal(await closeSession(rig.deps, nobody, { reason: 'user', by }), undefined);
  assert.deepEqual([rig.audit, rig.news, rig.endedRuns], [[], [], []]);
});

test('an idle one is closed by the clean-up, unless it is busy or a client came back', async () => {
  const rig = createRig();
  await closeIdle(rig.deps, owner);
  assert.deepEqual(rig.audit, [
    { action: 'session.timeout', actor: 'cleanup', detail: { why: 'idle' } },
  ]);
  assert.deepEqual(
    rig.news.map((news) => news.type === 'ended' && [news.session.cause, news.session.reason]),
    [['idle', 'timeout']],
  );
  assert.deepEqual(rig.endedRuns, [['cleanup', undefined]]);

  const busy = createRig({ runs: { ...rig.deps.runs, isBusy: () => true } });
  await closeIdle(busy.deps, owner);
  assert.equal(busy.record().status, 'active');

  const wanted = createRig();
  const stale = [{ ...wanted.record(), accountId }];
  wanted.apply({ type: 'client-seen' });
  await closeIdle({ ...wanted.deps, due: { ...wanted.deps.due, idle: async () => stale } }, owner);
  assert.deepEqual([wanted.record().status, wanted.news, wanted.endedRuns], ['active', [], []]);
});

test('an orphan is adopted where what it stands on is there', async () => {
  const rig = createRig({ keeper: { adopt: async () => 'adopted' } });
  await adoptOrphans(rig.deps, successor);
  assert.deepEqual([rig.record().status, rig.record().epoch], ['active', 2]);
  assert.deepEqual(rig.audit, [
    { action: 'session.adopt', actor: 'cleanup', detail: { from: 'a', to: 'a' } },
  ]);
  assert.deepEqual(rig.news, [{ type: 'adopted', session: name, epoch: 2, from: 'a' }]);
});

test('an orphan that lost what it stood on is closed, and its runs are left alone', async () => {
  const rig = createRig();
  await adoptOrphans(rig.deps, successor);
  assert.deepEqual(
    rig.audit.map(({ action, detail }) => [action, detail?.['why']]),
    [
      ['session.adopt', undefined],
      ['session.timeout', 'orphaned'],
    ],
  );
  assert.deepEqual(
    rig.news.map((news) => news.type === 'ended' && [news.session.cause, news.session.error]),
    [['lost', undefined]],
  );
  assert.deepEqual(rig.endedRuns, []);
});

test('an orphan that had not started becomes an error, even where what it needs is there', async () => {
  const rig = createRig({ isPending: true, keeper: { adopt: async () => 'adopted' } });
  await adoptOrphans(rig.deps, successor);
  assert.deepEqual([rig.record().status, rig.record().errorCode], ['error', 'start_interrupted']);
  assert.equal(rig.audit.at(-1)?.action, 'session.error');
  const [news] = rig.news;
  assert.match((news?.type === 'ended' && news.session.error) || '', /was lost while/);
});

test('a command of a session that was closed on purpose ends in the closer’s name; of another, not', async () => {
  const rig = createRig();
  rig.apply({ type: 'closed', reason: 'key_revoked' });
  await keepBusySessions({ ...rig.deps, closerOf: async () => 'device:1' });
  await keepBusySessions(rig.deps);
  assert.deepEqual(rig.endedRuns, [
    ['cleanup', 'device:1'],
    ['cleanup', 'token:unknown'],
  ]);
  const timedOut = createRig();
  timedOut.apply({ type: 'lost', epoch: 1 });
  await keepBusySessions(timedOut.deps);
  assert.deepEqual(timedOut.endedRuns, []);
});

test('work under way is a heartbeat', async () => {
  const seen: string[] = [];
  const rig = createRig();
  const records = rig.deps.recordsOf(accountId);
  const clientSeen = async (id: string) => {
    seen.push(id);
    return 'seen' as const;
  };
  await keepBusySessions({ ...rig.deps, recordsOf: () => ({ ...records, clientSeen }) });
  assert.deepEqual(seen, ['s1']);
});

test('who unsubscribes hears nothing more', () => {
  const heard: SessionNews[] = [];
  const desk = createNewsDesk();
  const stop = desk.subscribe((news) => heard.push(news));
  desk.announce({ type: 'start-failed' });
  stop();
  desk.announce({ type: 'start-failed' });
  assert.equal(heard.length, 1);
});
