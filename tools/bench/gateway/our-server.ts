/*
 * The whole gateway in a process of its own, with a token for the one who measures; with the name of a Unix user also a member's
 * account that runs as it, and that member's token.
 */
import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { type GatewayConfig, openGateway } from '@clawdfather/gateway';
import { type AccountId, openStore, parseAccountId, type Store } from '@clawdfather/store';
import { usualRetention } from '@clawdfather/supervisor';

const [directory = '', memberUser] = process.argv.slice(2);
const deps = { clock: createSystemClock(), random: createSystemRandom(), log: silentLog };
const database = { kind: 'sqlite', path: join(directory, 'control.db') } as const;
const audit = { action: 'bench', actor: 'bench' };
const member = memberUser === undefined ? undefined : await makeMember();
const temporaryRoot = join(directory, 'users');
mkdirSync(temporaryRoot, { recursive: true, mode: 0o711 });
const gateway = await openGateway(configOf(), deps);
const { id } = await gateway.store.system.accounts.ensureOwner({ displayName: 'bench', audit });
const token = await addDevice(gateway.store, parseAccountId(id));
const account = gateway.store.forAccount(parseAccountId(id));
await account.settings.update({ settings: { notifications: { done: true } }, audit });
const memberToken = member === undefined ? '' : await addDevice(gateway.store, member);
const said = { url: gateway.url, token, accountId: id, memberToken };
process.stdout.write(`${JSON.stringify(said)}\n`);
process.once('SIGTERM', () => void gateway.close());

function configOf(): GatewayConfig {
  return {
    version: '0.0.0-bench',
    stateDir: join(directory, 'state'),
    database,
    listen: { host: '127.0.0.1', port: 0 },
    trustedProxies: [],
    metricsNetworks: [],
    runs: {
      personPolicy: { security: 'full', ask: 'off' },
      agentPolicy: { security: 'full', ask: 'off' },
      allow: [],
      environment: { PATH: process.env['PATH'] ?? '', HOME: directory },
      directory,
      retention: usualRetention,
      temporaryRoot,
    },
    ...(member === undefined ? {} : { accounts: [{ id: member, runAs: memberUser ?? '' }] }),
  };
}

/* Before the gateway starts, which looks up the users of accounts. */
async function makeMember(): Promise<AccountId> {
  await using store = await openStore(database, deps);
  const signIn = await store.system.accounts.signIn({
    profile: { provider: 'github', providerUserId: '7', login: 'member', displayName: 'Member' },
    mayCreate: true,
    audit,
  });
  if (!('account' in signIn)) throw new Error(signIn.outcome);
  return parseAccountId(signIn.account.id);
}

async function addDevice(store: Store, accountId: AccountId): Promise<string> {
  const secret = `clf_${Buffer.from(deps.random.bytes(32)).toString('base64url')}`;
  const tokenHash = hash('sha256', secret, 'hex');
  await store.forAccount(accountId).devices.create({ tokenHash, device: 'bench', audit });
  return secret;
}
