/*
 * The whole gateway in a process of its own, with a token for the one who measures.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { openGateway } from '@clawdfather/gateway';
import { parseAccountId } from '@clawdfather/store';
import { usualRetention } from '@clawdfather/supervisor';

const [directory = ''] = process.argv.slice(2);
const random = createSystemRandom();
const gateway = await openGateway(
  {
    version: '0.0.0-bench',
    stateDir: join(directory, 'state'),
    database: { kind: 'sqlite', path: join(directory, 'control.db') },
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
    },
  },
  { clock: createSystemClock(), random, log: silentLog },
);
const audit = { action: 'bench', actor: 'bench' };
const { id } = await gateway.store.system.accounts.ensureOwner({ displayName: 'bench', audit });
const account = gateway.store.forAccount(parseAccountId(id));
const token = `clf_${Buffer.from(random.bytes(32)).toString('base64url')}`;
await account.devices.create({ tokenHash: hash('sha256', token, 'hex'), device: 'bench', audit });
await account.settings.update({ settings: { notifications: { done: true } }, audit });
process.stdout.write(`${JSON.stringify({ url: gateway.url, token, accountId: id })}\n`);
process.once('SIGTERM', () => void gateway.close());
