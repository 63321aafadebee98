/*
 * An account with something of everything in it, for tests that need rows to stand on.
 */
import assert from 'node:assert/strict';
import { decideOn, type Owner } from '@clawdfather/sessions';
import type { AccountQueries, AccountStore, AuditEntry, Store } from '@clawdfather/store';
import { parseAccountId } from '@clawdfather/store';

export const audit: AuditEntry = { action: 'test', actor: 'test' };
export const owner: Owner = { instanceId: 'gateway-a', generation: 1 };

export interface World {
  readonly account: AccountStore;
  readonly keypairId: string;
  readonly connectionId: string;
  readonly sessionId: string;
}

export async function createAccount(store: Store, name: string): Promise<AccountStore> {
  const signedIn = await store.system.accounts.signIn({
    profile: { provider: 'github', providerUserId: name, login: name, displayName: name },
    mayCreate: true,
    audit,
  });
  assert.equal(signedIn.outcome, 'created');
  return store.forAccount(parseAccountId(signedIn.account.id));
}

/** As a person who closes it does. */
export const userCloses = decideOn({ type: 'closed', reason: 'user' }, audit);

/** A plain write that a test can look for afterwards. */
export const createToken = ({ apiTokens }: AccountQueries, label: string) =>
  apiTokens.create({ tokenHash: `hash of ${label}`, label, scopes: ['read'], audit });

export async function tokenLabels({ apiTokens }: AccountQueries): Promise<readonly string[]> {
  return (await apiTokens.list()).map(({ label }) => label).toSorted();
}

export async function createWorld(store: Store, name = 'ann'): Promise<World> {
  const account = await createAccount(store, name);
  const keypairId = `key-${name}`;
  const key = await account.keypairs.create({
    key: { id: keypairId, publicKey: 'pub', privateEnc: `sealed-${name}`, fingerprint: 'SHA256:x' },
    label: 'laptop',
    activeMax: 5,
    audit,
  });
  assert.equal(key.outcome, 'created');
  const connection = await account.connections.create({
    fields: { label: 'box', host: 'box.test', port: 22, username: 'deploy', keypairId },
    audit,
  });
  assert.equal(connection.outcome, 'created');
  const connectionId = connection.connection.id;
  await account.connections.recordTest({
    id: connectionId,
    result: 'ok',
    latencyMs: 12,
    pin: { key: 'ssh-ed25519 AAAA', fingerprint: 'SHA256:y' },
    audit,
  });
  const session = await account.sessions.create({
    connectionId,
    agent: 'claude',
    owner,
    openMax: 3,
    audit,
  });
  assert.equal(session.outcome, 'created');
  const sessionId = session.session.id;
  await account.sessions.change(sessionId, decideOn({ type: 'activated', epoch: 1 }, audit));
  return { account, keypairId, connectionId, sessionId };
}
