/*
 * A name that leads to an allowed address when its connection is tested, and to this machine afterwards (DNS rebinding): every start looks
 * the name up once, judges what it was told, and dials that address and no other.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netHostSkip, openNetHost, openSshd, sshdSkip } from '@clawdfather/testkit';
import { type Ask, createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { addHost, closeSessions } from './host-world.ts';

test('a name that moves to this machine after its test is refused', {
  skip: sshdSkip || netHostSkip,
}, async (t) => {
  await using host = await openNetHost();
  const far = await openSshd(t, { host: host.address, wrap: host.wrap });
  // What an attacker would like to reach: on the same port, as a name has no say in that.
  const near = await openSshd(t, { port: far.port });
  const answers: string[] = [];
  const asked: string[] = [];
  const lookup = async (name: string): Promise<readonly { readonly address: string }[]> => {
    asked.push(name);
    return [{ address: answers.shift() ?? near.host }];
  };
  await using rig = await openTestGateway({ deps: { lookup } });
  // A member may reach private networks, and not this machine.
  const { token } = rig.other;
  const askAny = createAsk(rig);
  const ask: Ask = (method, path, call) => askAny(method, path, { ...call, token });
  const name = 'moving.example';
  // For the test of the connection: once without a pin, once with.
  answers.push(host.address, host.address);
  const connectionId = await addHost(ask, { ...far, host: name });
  answers.push(host.address);
  const first = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
  assert.equal(first.status, 201, JSON.stringify(first.body));
  assert.deepEqual(asked, [name, name, name], 'once for each connection that is made');
  await closeSessions(ask);

  const second = await ask('POST', 'sessions', { body: { connection_id: connectionId } });
  assert.equal(second.body.error?.code, 'host_not_allowed', JSON.stringify(second.body));
  const tested = await ask('POST', `connections/${connectionId}/test`, { body: {} });
  assert.equal(tested.body.error?.code, 'host_not_allowed', JSON.stringify(tested.body));
  const body = { host: name, port: far.port };
  const probed = await ask('POST', 'connections/probe', { body });
  assert.equal(probed.body.error?.code, 'host_not_allowed', JSON.stringify(probed.body));
  assert.equal(asked.length, 6);
  assert.doesNotMatch(near.log(), /Connection|Accepted/, 'nothing was dialled');
});
