/*
 * Limits of sessions at a real gateway: the numbers of the settings hold, those of one account before those of all, and a token
 * leaves some to its person.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccountId } from '@clawdfather/store';
import { usualAccountBounds } from '../../src/accounts/account-bounds.ts';
import { createSessionLimits, usualSessionBounds } from '../../src/accounts/session-bounds.ts';
import type { AccountConfig, GatewayConfig } from '../../src/gateway-config.ts';
import { type Ask, createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, sharedWith, type TestGateway } from '../fixtures/open-test-gateway.ts';

function boundedBy(sessions: Partial<typeof usualSessionBounds>): Pick<GatewayConfig, 'bounds'> {
  return {
    bounds: { ...usualAccountBounds, sessions: { ...usualSessionBounds, ...sessions } },
  };
}

const askAs = ({ url }: TestGateway, token: string): Ask => createAsk({ url, owner: { token } });

async function tokenOf(rig: TestGateway): Promise<string> {
  const body = { label: 'agent', scopes: ['read', 'run', 'admin'] };
  const made = await createAsk(rig)('POST', 'auth/tokens', { body });
  assert.equal(made.status, 201, made.text);
  return made.body.token;
}

async function openUntilRefused(ask: Ask): Promise<{ opened: number; detail: unknown }> {
  for (let opened = 0; ; opened += 1) {
    const answer = await ask('POST', 'sessions', { body: {} });
    if (answer.status === 201) continue;
    assert.equal(answer.body.error.code, 'session_limit_reached', answer.text);
    assert.match(answer.body.error.hint, /clf session close/);
    return { opened, detail: answer.body.error.detail };
  }
}

test('the owner has as many open sessions as the setting says, and a token three quarters of them', async () => {
  await using rig = await openTestGateway({ config: boundedBy({ ownerOpenMax: 4 }) });
  const agent = askAs(rig, await tokenOf(rig));
  assert.deepEqual(await openUntilRefused(agent), { opened: 3, detail: { open_max: 3 } });
  assert.deepEqual(await openUntilRefused(createAsk(rig)), { opened: 1, detail: { open_max: 4 } });
});

test('starts in an hour: those of a token are counted, by the number of its account before that of all', async () => {
  const config = boundedBy({ sessionStartsPerHour: 2 });
  await using rig = await openTestGateway({ config });
  const startsOf = async (ask: Ask): Promise<readonly unknown[]> => {
    const { status, headers } = await ask('POST', 'sessions', { body: {} });
    return [status, headers.get('ratelimit-limit')];
  };
  const token = await tokenOf(rig);
  const agent = askAs(rig, token);
  assert.deepEqual(await startsOf(agent), [201, '2']);
  assert.deepEqual(await startsOf(agent), [201, '2']);
  assert.deepEqual(await startsOf(agent), [429, '2']);
  assert.deepEqual(await startsOf(createAsk(rig)), [201, null], 'a device of the owner has none');
  const own: AccountConfig = { id: rig.owner.accountId, sessionStartsPerHour: 4, sessionsMax: 8 };
  const more = { ...sharedWith(rig), ...config, accounts: [own] };
  await using second = await openTestGateway({ config: more });
  const there = askAs(second, token);
  // What was refused counts, too.
  assert.deepEqual(await startsOf(there), [201, '4']);
  assert.deepEqual(await startsOf(there), [429, '4']);
  assert.equal((await openUntilRefused(createAsk(second))).opened, 4, 'four are open, of eight');
});

test('a member has its own number, or that of its account; tokens have three quarters, and one at least', () => {
  const [ownerId, member, given] = ['a', 'b', 'c'].map((each) => parseAccountId(each.repeat(16)));
  assert.ok(ownerId !== undefined && member !== undefined && given !== undefined);
  const bounds = { ...usualSessionBounds, ownerOpenMax: 8, memberOpenMax: 1 };
  const accounts = [{ id: given, sessionsMax: 12 }];
  const limits = createSessionLimits({ bounds, accounts, ownerId });
  const numbers = [ownerId, member, given].map((id) => [
    limits.openMaxOf(id, true),
    limits.openMaxOf(id, false),
  ]);
  assert.deepEqual(numbers, [
    [8, 6],
    [1, 1],
    [12, 9],
  ]);
});

test('changes of hosts, probes and tests have their settings', async () => {
  const config = boundedBy({
    hostChangesPerHour: 2,
    hostProbesPerHour: 1,
    hostTestsPerMinute: 1,
  });
  await using rig = await openTestGateway({ config });
  const member = askAs(rig, rig.other.token);
  const keys = await member('POST', 'keys', { body: { label: 'mine' } });
  const host = { label: 'a', host: '192.0.2.1', username: 'u', keypair_id: keys.body.key.id };
  const added = await member('POST', 'connections', { body: host });
  assert.deepEqual([added.status, added.headers.get('ratelimit-limit')], [201, '2']);
  const path = `connections/${added.body.connection.id}`;
  assert.equal((await member('PATCH', path, { body: { label: 'b' } })).status, 200);
  assert.equal((await member('PATCH', path, { body: { label: 'c' } })).status, 200);
  const third = await member('PATCH', path, { body: { label: 'd' } });
  assert.equal(third.status, 429, third.text);
  const probe = { body: { host: '127.0.0.1', port: 1 } };
  await member('POST', 'connections/probe', probe);
  assert.equal((await member('POST', 'connections/probe', probe)).status, 429);
  const mine = createAsk(rig);
  const ownKey = await mine('POST', 'keys', { body: { label: 'mine' } });
  const own = { ...host, host: '127.0.0.1', port: 1, keypair_id: ownKey.body.key.id };
  const here = await mine('POST', 'connections', { body: own });
  const testPath = `connections/${here.body.connection.id}/test`;
  assert.equal((await mine('POST', testPath, { body: {} })).status, 200);
  assert.equal((await mine('POST', testPath, { body: {} })).status, 429, 'also for the owner');
});
