/*
 * What the rest of the gateway asks of sessions, over a real database and real commands.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { decideOn, type EndedSession } from '@clawdfather/sessions';
import { type AccountStore, openStore, parseAccountId } from '@clawdfather/store';
import { silentObserver } from '@clawdfather/supervisor';
import { openRuns } from '../../src/runs/open-runs.ts';
import { openSessions, type OpenSessions } from '../../src/sessions/open-sessions.ts';
import { openRunStarter, type RunStarter } from '../fixtures/open-run-starter.ts';
import { testConfig } from '../fixtures/open-test-gateway.ts';

const audit = { action: 'test', actor: 'test' };
const minute = 60_000;

interface Rig {
  readonly opened: OpenSessions;
  readonly account: AccountStore;
  readonly starter: RunStarter;
  readonly startSession: () => Promise<string>;
  /* Minutes go by, with a clean-up in each. */
  readonly pass: (minutes: number) => Promise<void>;
  readonly statusOf: (id: string) => Promise<string | undefined>;
}

async function withSessions(work: (rig: Rig) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-sessions-'));
  await using lifetime = new AsyncDisposableStack();
  lifetime.defer(() => rm(directory, { recursive: true }));
  const config = testConfig(directory);
  const system = createSystemClock();
  let offsetMs = 0;
  const clock = { ...system, wallMs: () => system.wallMs() + offsetMs };
  const deps = { clock, random: createSystemRandom(), log: silentLog };
  const store = lifetime.use(await openStore(config.database, deps));
  const owner = await store.system.accounts.ensureOwner({ displayName: 'O', audit });
  const account = store.forAccount(parseAccountId(owner.id));
  const runs = lifetime.use(
    await openRuns(config, { ...deps, observer: silentObserver, ownerId: account.accountId }),
  );
  const opened = lifetime.use(openSessions({ store, clock, log: silentLog, runs }));
  const starter = lifetime.use(await openRunStarter(config.stateDir));
  await opened.instance.start({ instanceId: 'a', version: '0', address: 'nowhere' });
  await work({
    opened,
    account,
    starter,
    startSession: async () => {
      const instance = opened.instance.owner();
      const made = await account.sessions.create({
        agent: 'a',
        owner: instance,
        openMax: 9,
        audit,
      });
      assert.ok('session' in made);
      const { id, epoch } = made.session;
      await account.sessions.change(id, decideOn({ type: 'activated', epoch }, audit));
      return id;
    },
    pass: async (minutes) => {
      for (let count = 0; count < minutes; count += 1) {
        offsetMs += minute;
        await opened.cleanup.runNow();
      }
    },
    statusOf: async (id) => (await account.sessions.get(id))?.status,
  });
}

test('a session with a command under way outlives every timeout; without one it does not', () =>
  withSessions(async ({ starter, account, startSession, pass, statusOf }) => {
    const [busy, idle] = [await startSession(), await startSession()];
    const run = await starter.startSleep({ accountId: account.accountId, id: busy });
    await pass(40);
    assert.deepEqual([await statusOf(busy), await statusOf(idle)], ['active', 'closed']);
    assert.equal(run.snapshot().state, 'running');
    await run.cancel();
    await run.wait();
    await pass(37);
    assert.equal(await statusOf(busy), 'closed');
  }));

test('a command whose session was closed by somebody who died over it is ended by the clean-up', () =>
  withSessions(async ({ starter, account, startSession, pass }) => {
    const id = await startSession();
    const run = await starter.startSleep({ accountId: account.accountId, id });
    await account.sessions.change(id, decideOn({ type: 'closed', reason: 'user' }, audit));
    await pass(1);
    const exit = await run.wait();
    assert.deepEqual([exit.reason, exit.actor], ['manual-cancel', 'cleanup']);
  }));

test('the clean-up ends in the name of the one who closed: a token ends no person’s command, a person does', () =>
  withSessions(async ({ starter, account, startSession, pass }) => {
    const { accountId } = account;
    for (const [actor, isEnded] of [
      ['token:t', false],
      ['device:d', true],
      ['operator', true],
    ] as const) {
      const id = await startSession();
      const mine = await starter.startSleep({ accountId, id }, 'device:mine');
      const agents = await starter.startSleep({ accountId, id }, 'token:agent');
      // As another gateway of the same database does it, which knows nothing of the runs on this host.
      const close = decideOn({ type: 'closed', reason: 'user' }, { actor });
      await account.sessions.change(id, close);
      await pass(1);
      assert.equal((await agents.wait()).actor, 'cleanup');
      if (isEnded) assert.equal((await mine.wait()).actor, 'cleanup', actor);
      else assert.equal(mine.snapshot().state, 'running', actor);
    }
  }));

test('only an open session of the account lets something be done in it', () =>
  withSessions(async ({ opened, account, startSession }) => {
    const { sessions } = opened;
    const { accountId } = account;
    const id = await startSession();
    assert.equal((await sessions.assertOpen(accountId, id)).id, id);
    await assert.rejects(sessions.assertOpen(parseAccountId('bob'), id), { code: 'not_found' });
    await sessions.close({ accountId, id }, { reason: 'user', by: audit });
    await assert.rejects(sessions.assertOpen(accountId, id), { code: 'expired' });
  }));

test('whoever listens hears of each close once', () =>
  withSessions(async ({ opened, account, startSession, pass }) => {
    const heard: EndedSession[] = [];
    const stop = opened.news.subscribe((news) => {
      if (news.type === 'ended') heard.push(news.session);
    });
    const [one, two, three] = [await startSession(), await startSession(), await startSession()];
    const { accountId } = account;
    const close = { reason: 'user', by: audit } as const;
    await opened.sessions.close({ accountId, id: one }, close);
    await opened.sessions.close({ accountId, id: one }, close);
    await pass(37);
    stop();
    assert.equal(heard.length, 3);
    assert.deepEqual(
      new Map(heard.map(({ id, reason }) => [id, reason])),
      new Map([
        [one, 'user'],
        [two, 'timeout'],
        [three, 'timeout'],
      ]),
    );
  }));
