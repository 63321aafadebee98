/*
 * Who sees which session: every setting, sandboxed or not, with agents that may talk to others or not, over rows of every relation and
 * at any depth; and that listing, reading, sending and looking ask the same rule.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ThreadRow, visibilities } from '@clawdfather/agents';
import { CodedError, hasCode } from '@clawdfather/kit';
import { openStore, parseAccountId } from '@clawdfather/store';
import type { RunId } from '@clawdfather/supervisor';
import { type SessionsOfAgentDeps, SessionsOfAgent } from '../../src/agents/sessions-of-agent.ts';
import { systemDeps, testConfig } from '../fixtures/open-test-gateway.ts';

const request = { key: undefined, ip: '', traceId: '', trace: '' };

class Reached extends CodedError<'reached'> {}

test('list, history, send and status show exactly what the rule shows', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-visible-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const config = testConfig(directory);
  const store = stack.use(await openStore(config.database, systemDeps()));
  const audit = { action: 'test', actor: 'test' };
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const accountId = parseAccountId(owner.id);
  const { threads } = store.forAccount(accountId);
  const create = async (agent: string, parent?: ThreadRow): Promise<ThreadRow> => {
    const asked = { agent, cwd: directory, title: '', instanceId: 'one' };
    const above = parent === undefined ? {} : { parentId: parent.id };
    return (await threads.create({ ...asked, ...above })).thread;
  };
  const me = await create('red');
  const child = await create('blue', me);
  const rows = {
    me,
    child,
    grandchild: await create('green', child),
    sameAgent: await create('red'),
    allowed: await create('blue'),
    notAllowed: await create('green'),
  };
  const tree = ['me', 'child', 'grandchild'];
  const agent = [...tree, 'sameAgent'];
  for (const isSandboxed of [false, true]) {
    for (const isEnabled of [false, true]) {
      const all = isEnabled ? [...agent, 'allowed'] : agent;
      const whole = { self: ['me'], tree, agent, all };
      const clamped = { self: ['me'], tree, agent: tree, all: tree };
      for (const visibility of visibilities) {
        const expected = (isSandboxed ? clamped : whole)[visibility];
        const sessions = { visibility, a2a: { isEnabled, allow: [['red', 'blue']] as const } };
        const deps = {
          config: {
            ...config,
            agents: {
              named: [{ name: 'red', sandboxed: isSandboxed }],
              sessions: { ...sessions, depthMax: 3, activeMax: 8 },
            },
          },
          store,
          random: systemDeps().random,
          agentThreads: { threads: { prompt: () => Promise.reject(new Reached('reached', '')) } },
        } as unknown as SessionsOfAgentDeps;
        const asking = new SessionsOfAgent(deps, {
          accountId,
          runId: 'r' as RunId,
          threadId: me.id,
        });
        const name = `${visibility}, a2a ${isEnabled}, sandboxed ${isSandboxed}`;
        const listed = (await asking.list({ limit: 50, offset: 0 })).items.map(({ id }) => id);
        for (const [row, { id }] of Object.entries(rows)) {
          const isSeen = expected.includes(row);
          const said = { text: 'hello', wake: false };
          assert.equal(listed.includes(id), isSeen, `list of ${row}: ${name}`);
          for (const [action, act] of [
            ['history', () => asking.history(id, { limit: 5 })],
            ['status', () => asking.status(id)],
            ['send', () => asking.send(id, said, request)],
          ] as const) {
            assert.equal(await isReached(act), isSeen, `${action} of ${row}: ${name}`);
          }
        }
      }
    }
  }
});

async function isReached(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (hasCode(error, 'reached')) return true;
    if (hasCode(error, 'not_found')) return false;
    throw error;
  }
}

test('SA4 what is below a sandboxed agent sees no more than its own tree, whichever agent it is', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-visible-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const config = testConfig(directory);
  const store = stack.use(await openStore(config.database, systemDeps()));
  const audit = { action: 'test', actor: 'test' };
  const owner = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const accountId = parseAccountId(owner.id);
  const { threads } = store.forAccount(accountId);
  const asked = { cwd: directory, title: '', instanceId: 'one' };
  const root = (await threads.create({ ...asked, agent: 'red' })).thread;
  const child = (await threads.create({ ...asked, agent: 'blue', parentId: root.id })).thread;
  await threads.create({ ...asked, agent: 'blue' });
  const a2a = { isEnabled: true, allow: [['*', '*']] as const };
  const sessions = { visibility: 'all', a2a, depthMax: 3, activeMax: 8 } as const;
  const agents = { named: [{ name: 'red', sandboxed: true }], sessions };
  const deps = { config: { ...config, agents }, store } as unknown as SessionsOfAgentDeps;
  const asking = new SessionsOfAgent(deps, { accountId, runId: 'r' as RunId, threadId: child.id });
  const { items } = await asking.list({ limit: 50, offset: 0 });
  assert.deepEqual(
    items.map(({ id }) => id),
    [child.id],
  );
});
