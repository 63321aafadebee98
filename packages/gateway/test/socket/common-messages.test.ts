/*
 * What an agent asked for, decided over a socket: once, by a person, as over the API.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { TestSocket } from './fixtures.ts';

test('an approval is decided over a socket: not by who asked, by a person once, and then it runs', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const scopes = ['read', 'run', 'approve'];
  const { token } = (await ask('POST', 'auth/tokens', { body: { label: 'agent', scopes } })).body;
  const body = { argv: ['/bin/sh', '-c', 'echo ran'] };
  const held = await ask('POST', 'runs', { token, body });
  assert.equal(held.body.status, 'approval-pending');
  const { approvalId, runId } = held.body;
  const { session } = (await ask('POST', 'sessions', { body: {} })).body;
  const connect = async (as: string): Promise<TestSocket> => {
    const socket = await new TestSocket(`${rig.url}/ws/sessions/${session.id}`).opened();
    socket.send({ type: 'auth', token: as });
    await socket.next('session');
    return socket;
  };
  const approve = { type: 'approve', approval_id: approvalId, decision: 'allow-once' };

  await using agent = await connect(token);
  assert.equal((await agent.send(approve).next('error')).code, 'forbidden');
  assert.equal((await ask('GET', `runs/${runId}`)).body.state, 'held');

  await using person = await connect(rig.owner.token);
  const { approval_id: decided, state } = await person.send(approve).next('approved');
  assert.deepEqual([decided, state], [approvalId, 'started']);
  const me = callerOf(rig.url, rig.owner.token);
  assert.equal((await me.untilEnded(runId)).exit.code, 0);
  assert.equal(await me.outputOf(runId), 'ran\n');
  assert.equal((await person.send(approve).next('error')).code, 'already_decided');

  const { entries } = (await ask('GET', 'audit?action=approval.decide')).body;
  assert.equal(entries.length, 1);
  assert.deepEqual(
    [entries[0].target, entries[0].actor, entries[0].detail.run_id],
    [approvalId, `device:${rig.owner.deviceId}`, runId],
  );
});
