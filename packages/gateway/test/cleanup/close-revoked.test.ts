/*
 * A key that was revoked by a gateway that died before it closed the sessions: the next turn of the clean-up does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import { audit, type CleanupRig, openCleanupRig } from '../fixtures/open-cleanup-rig.ts';

async function addConnection({ account }: CleanupRig, name: string): Promise<string> {
  const key = { id: `key-${name}`, publicKey: 'p', privateEnc: 's', fingerprint: 'f' };
  await account.keypairs.create({ key, label: name, activeMax: 5, audit });
  const fields = { label: name, host: 'h', port: 22, username: 'u', keypairId: key.id };
  const made = await account.connections.create({ fields, audit });
  assert.ok(made.outcome === 'created');
  const { id } = made.connection;
  const pin = { key: 'k', fingerprint: 'f' };
  await account.connections.recordTest({ id, result: 'ok', pin, audit });
  return id;
}

test('sessions of a revoked key are closed with their commands, those of other keys are not', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const revoked = await gateway.startSession(await addConnection(rig, 'a'));
  const other = await gateway.startSession(await addConnection(rig, 'b'));
  await gateway.cleanup.runNow();
  assert.equal((await rig.read(revoked.id)).status, 'active');
  await rig.account.keypairs.revoke({ id: 'key-a', isForced: true, nextKeys, audit });
  await gateway.cleanup.runNow();
  const closed = await rig.read(revoked.id);
  assert.deepEqual([closed.status, closed.closeReason], ['closed', 'key_revoked']);
  assert.deepEqual(gateway.ended, [revoked.id]);
  assert.deepEqual(gateway.tally.closed, ['key_revoked']);
  assert.equal((await rig.read(other.id)).status, 'active');
});

test('a rotation that is done ends no session: the old key goes, the session stays', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const connectionId = await addConnection(rig, 'a');
  const session = await gateway.startSession(connectionId);
  const key = { id: 'new', publicKey: 'p', privateEnc: 's', fingerprint: 'f' };
  await rig.account.keypairs.rotate({ id: 'key-a', key, nextKeys, audit });
  const proven = { keypairId: 'new', nextKeys };
  await rig.account.connections.recordTest({ id: connectionId, result: 'ok', proven, audit });
  assert.equal((await rig.account.keypairs.get('key-a'))?.status, 'revoked');
  await gateway.cleanup.runNow();
  assert.equal((await rig.read(session.id)).status, 'active');
});
