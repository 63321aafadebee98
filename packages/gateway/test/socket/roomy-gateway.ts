/*
 * A gateway in a process of its own that takes many sockets of one account from one address, as only a test has them:
 * `node … roomy-gateway.ts DIRECTORY`. Prints one line of JSON when it listens; SIGTERM closes it.
 */
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { parseAccountId } from '@clawdfather/store';
import { openGateway } from '../../src/open-gateway.ts';
import { addDevice, testConfig } from '../fixtures/open-test-gateway.ts';

const [directory = ''] = process.argv.slice(2);
const many = 10_000;
const gateway = await openGateway(
  { ...testConfig(directory), sockets: { perAddressMax: many, perAccountMax: many } },
  { clock: createSystemClock(), random: createSystemRandom(), log: silentLog },
);
const audit = { action: 'test', actor: 'test' };
const owner = await gateway.store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
const { token } = await addDevice(gateway, parseAccountId(owner.id));
process.once('SIGTERM', () => void gateway.close());
process.stdout.write(`${JSON.stringify({ url: gateway.url, token })}\n`);
