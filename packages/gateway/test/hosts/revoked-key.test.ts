/*
 * A key is revoked by force in the middle of its rotation, and the gateway dies before it has ended a session that the key had opened.
 * The record of the connection names the new key by then; the session ends all the same.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { revokeKey } from '@clawdfather/ssh';
import { openStore, parseAccountId } from '@clawdfather/store';
import { openSshd, sshdSkip } from '@clawdfather/testkit';
import { createRevocation } from '../../src/sessions/create-revocation.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { testConfig } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { addHost, sleepsFor, sleepWord, startOn, untilTrue } from './host-world.ts';
import { mastersIn } from './master-processes.ts';

/* All that a revoking gateway does before it would end what runs: its transaction. */
async function revokeAndDie(directory: string, account: string, keypairId: string): Promise<void> {
  const deps = { clock: createSystemClock(), random: createSystemRandom() };
  await using store = await openStore(testConfig(directory).database, deps);
  const actor = 'device:test';
  const died = (): Promise<void> => Promise.reject(new Error('killed'));
  const revocation = createRevocation(
    { store, sessions: { checkMayClose: () => {}, endClosed: died } },
    {
      accountId: parseAccountId(account),
      audit: { action: 'key.revoke', actor },
      by: { actor },
    },
  );
  await assert.rejects(revokeKey(revocation, { id: keypairId, isForced: true }), /killed/);
}

test('a session of a key that a dying gateway revoked is ended by the next one', {
  skip: sshdSkip,
}, async (t) => {
  const sshd = await openSshd(t);
  const directory = await mkdtemp(join(tmpdir(), 'clf-rk-'));
  const stateDir = join(directory, 'state');
  let gateway = await startGatewayProcess(directory);
  const ask: ReturnType<typeof createAsk> = (...asked) =>
    createAsk({ url: gateway.url, owner: gateway })(...asked);
  try {
    await addHost(ask, sshd);
    const old = (await ask('GET', 'keys')).body.items[0].id;
    const rotated = await ask('POST', `keys/${old}/rotate`);
    assert.equal(rotated.status, 201, JSON.stringify(rotated.body));
    // The new one is installed nowhere: the old one opens it.
    const word = sleepWord();
    const runId = await startOn(ask, { command: `exec sleep ${word}` });
    await untilTrue(() => sleepsFor(word) === 1);
    const { sessionId } = (await ask('GET', `runs/${runId}`)).body;
    const { accountId } = gateway;
    await gateway.end('SIGKILL');
    assert.equal(mastersIn(stateDir).length, 1);
    await revokeAndDie(directory, accountId, old);
    gateway = await startGatewayProcess(directory);
    const { session } = (await ask('GET', `sessions/${sessionId}`)).body;
    assert.deepEqual([session.status, session.close_reason], ['closed', 'key_revoked']);
    await untilTrue(() => mastersIn(stateDir).length === 0);
    await untilTrue(async () => (await ask('GET', `runs/${runId}`)).body.exit !== null);
    await untilTrue(async () => (await readdir(join(stateDir, 'ssh'))).length === 0);
  } finally {
    await gateway.end('SIGTERM');
    await endEveryRun(stateDir);
    await rm(directory, { recursive: true, force: true });
  }
});
