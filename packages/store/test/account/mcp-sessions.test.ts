/*
 * MCP sessions as they are kept: for the token that began one, for a while, and not too many.
 */
import assert from 'node:assert/strict';
import type { AccountStore } from '@clawdfather/store';
import { mcpSessionMs, mcpSessionsMax } from '../../src/limits.ts';
import { onBoth } from '../backends.ts';
import { audit, createAccount } from '../world.ts';

const minuteMs = 60_000;
const client = { protocolVersion: '2025-11-25', clientName: 'agent', clientVersion: '1' };

async function makeToken(account: AccountStore, label: string): Promise<string> {
  const scopes = ['read'] as const;
  const made = await account.apiTokens.create({
    tokenHash: `${account.accountId} ${label}`,
    label,
    scopes,
    audit,
  });
  assert.equal(made.outcome, 'created');
  return made.token.id;
}

onBoth('one is found with its token, as it was left, until it is ended', async ({ open }) => {
  const account = await createAccount(await open(), 'ann');
  const tokenId = await makeToken(account, 'one');
  const other = await makeToken(account, 'two');
  const { mcpSessions } = account;
  const name = { idHash: 'm', tokenId };
  await mcpSessions.create({ ...name, ...client });
  const found = await mcpSessions.find(name);
  assert.equal(found?.logLevel, undefined);
  assert.deepEqual([found?.clientName, found?.follows], ['agent', []]);
  assert.equal(await mcpSessions.use(name, { logLevel: 'error', follows: ['r1', 'r2'] }), 'used');
  assert.equal(await mcpSessions.use(name), 'used');
  const changed = await mcpSessions.find(name);
  assert.deepEqual([changed?.logLevel, changed?.follows], ['error', ['r1', 'r2']]);

  const stolen = { idHash: 'm', tokenId: other };
  assert.equal(await mcpSessions.find(stolen), undefined);
  assert.equal(await mcpSessions.use(stolen, { logLevel: 'debug' }), 'not_found');
  assert.equal(await mcpSessions.end(stolen), 'not_found');
  assert.equal((await mcpSessions.find(name))?.logLevel, 'error');

  assert.equal(await mcpSessions.end(name), 'ended');
  assert.equal(await mcpSessions.find(name), undefined);
  assert.equal(await mcpSessions.use(name, { follows: ['r3'] }), 'not_found', 'it stays ended');
  assert.equal(await mcpSessions.find(name), undefined);
});

onBoth('use keeps one alive; without it, it expires and is removed', async ({ open, clock }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  const name = { idHash: 'm', tokenId: await makeToken(account, 'one') };
  await account.mcpSessions.create({ ...name, ...client });
  clock.advance(mcpSessionMs - minuteMs);
  await account.mcpSessions.use(name);
  clock.advance(mcpSessionMs - minuteMs);
  assert.notEqual(await account.mcpSessions.find(name), undefined);
  clock.advance(minuteMs);
  assert.equal(await account.mcpSessions.find(name), undefined);
  assert.equal((await store.system.cleanup.removeExpired())['mcp_sessions'], 1);
});

onBoth('an account has so many; the one that was idle longest goes', async ({ open, clock }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  const other = await createAccount(store, 'bob');
  const tokenId = await makeToken(account, 'one');
  const foreign = { idHash: 'foreign', tokenId: await makeToken(other, 'one') };
  await other.mcpSessions.create({ ...foreign, ...client });
  const create = async (number: number): Promise<void> => {
    clock.advance(1);
    await account.mcpSessions.create({ idHash: `m${number}`, tokenId, ...client });
  };
  for (let number = 0; number < mcpSessionsMax; number += 1) await create(number);
  clock.advance(1);
  await account.mcpSessions.use({ idHash: 'm0', tokenId });
  await create(mcpSessionsMax);
  const isThere = async (number: number) =>
    (await account.mcpSessions.find({ idHash: `m${number}`, tokenId })) !== undefined;
  assert.deepEqual([await isThere(0), await isThere(1), await isThere(2)], [true, false, true]);
  assert.equal(await isThere(mcpSessionsMax), true);
  assert.notEqual(await other.mcpSessions.find(foreign), undefined);
});
