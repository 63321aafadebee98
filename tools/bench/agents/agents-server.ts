/*
 * A whole gateway on SQLite in a process of its own, with the streaming agent and with room for hundreds of them: `DIRECTORY AGENT`.
 * Prints where it listens when it does. The directory holds everything, so another one goes on where this one was killed.
 */
import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type GatewayConfig, openGateway } from '@clawdfather/gateway';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { parseAccountId } from '@clawdfather/store';
import { usualRetention } from '@clawdfather/supervisor';

const [directory = '', agent = ''] = process.argv.slice(2);
const deps = { clock: createSystemClock(), random: createSystemRandom(), log: silentLog };
const audit = { action: 'bench', actor: 'bench' };
const agentsMax = 1_000;
const lane = { activeMax: agentsMax, waitingMax: agentsMax };
const temporaryRoot = join(directory, 'users');
mkdirSync(temporaryRoot, { recursive: true, mode: 0o711 });
const config: GatewayConfig = {
  version: '0.0.0-bench',
  stateDir: join(directory, 'state'),
  database: { kind: 'sqlite', path: join(directory, 'control.db') },
  listen: { host: '127.0.0.1', port: 0 },
  trustedProxies: [],
  metricsNetworks: [],
  agents: {
    named: [{ name: 'streaming', command: [agent] }],
    sessionsMax: agentsMax,
    // The small agent takes a hundredth of the memory that is set aside for one.
    queue: { agent: lane, account: lane, gateway: lane, memoryFloorBytes: 0 },
  },
  runs: {
    personPolicy: { security: 'full', ask: 'off' },
    agentPolicy: { security: 'full', ask: 'off' },
    allow: [],
    environment: { PATH: process.env['PATH'] ?? '', HOME: directory },
    directory,
    retention: usualRetention,
    temporaryRoot,
  },
};
const gateway = await openGateway(config, deps);
const { id } = await gateway.store.system.accounts.ensureOwner({ displayName: 'bench', audit });
const secret = `clf_${Buffer.from(deps.random.bytes(32)).toString('base64url')}`;
const tokenHash = hash('sha256', secret, 'hex');
const { devices } = gateway.store.forAccount(parseAccountId(id));
await devices.create({ tokenHash, device: 'bench', audit });
process.stdout.write(`${JSON.stringify({ url: gateway.url, token: secret, accountId: id })}\n`);
process.once('SIGTERM', () => void gateway.close());
