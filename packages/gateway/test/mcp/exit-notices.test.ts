/*
 * The end of background runs is told over HTTP as on stdio: nobody polls here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cannotMakeUsers as skip,
  createEnding,
  hearMessages,
  hearUpdates,
  makeUnixUser,
} from '@clawdfather/testkit';
import { handshakeRevisions, openMcpRig } from './rig.ts';

interface Ended {
  readonly runId: string;
  readonly code?: number;
}

function endedOf(
  data: Readonly<Record<string, unknown>>,
): readonly (number | string | undefined)[][] {
  return ((data['ended'] ?? []) as readonly Ended[]).map(({ runId, code }) => [runId, code]);
}

const uriOf = (runId: string): string => `clawdfather://runs/${runId}`;

for (const revision of handshakeRevisions) {
  test(`${revision}: the end comes over the session's stream, once, and with the next result, once`, async () => {
    await using rig = await openMcpRig();
    const { token } = await rig.makeToken();
    await using agent = await rig.connect({ token, revision });
    const heard = hearMessages(agent);
    const ending = rig.createEnding(3);
    const { data } = await agent.call('exec', { command: ending.command, background: true });
    const runId = String(data['runId']);
    ending.letGo();
    const { level, data: exit } = await heard.of(runId);
    assert.equal(level, 'warning');
    const { cursor: _cursor, durationMs: _duration, ...rest } = exit as Record<string, unknown>;
    assert.deepEqual(rest, { event: 'exit', runId, reason: 'exit', code: 3 });
    const next = await agent.call('exec', { command: 'true' });
    assert.deepEqual(endedOf(next.data), [[runId, 3]]);
    const after = await agent.call('exec', { command: 'true' });
    assert.deepEqual([endedOf(after.data), heard.all.length], [[], 1]);
  });
}

test('2025-11-25: a session that wants warnings only is not sent a success', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  await using agent = await rig.connect({ token, revision: '2025-11-25' });
  const heard = hearMessages(agent);
  await agent.client.setLoggingLevel('warning');
  const [good, bad] = [rig.createEnding(0), rig.createEnding(1)];
  const start = async (command: string): Promise<string> =>
    String((await agent.call('exec', { command, background: true })).data['runId']);
  const ids = [await start(good.command), await start(bad.command)];
  good.letGo();
  const told: unknown[] = [];
  // By a result, since no message says so.
  while (told.length === 0) {
    told.push(...endedOf((await agent.call('exec', { command: 'true' })).data));
  }
  assert.deepEqual(told, [[ids[0], 0]]);
  bad.letGo();
  await heard.of(ids[1] ?? '');
  assert.equal(heard.all.length, 1);
});

test('2026-07-28: who listens to a run is sent its end, and can read it', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  await using agent = await rig.connect({ token });
  const heard = hearUpdates(agent);
  const ending = rig.createEnding(4);
  const { data } = await agent.call('exec', { command: ending.command, background: true });
  const runId = String(data['runId']);
  const subscription = await agent.client.listen({ resourceSubscriptions: [uriOf(runId)] });
  ending.letGo();
  const { uri, _meta: meta } = await heard.of(runId);
  assert.equal(uri, uriOf(runId));
  const { 'clawdfather/exit': exit } = meta as Record<string, Record<string, unknown>>;
  assert.deepEqual([exit?.['runId'], exit?.['code']], [runId, 4]);
  const { contents } = await agent.client.readResource({ uri: uriOf(runId) });
  const [read] = contents as { text: string }[];
  assert.equal((JSON.parse(read?.text ?? '') as Record<string, unknown>)['exitCode'], 4);
  await subscription.close();
  const next = await agent.call('exec', { command: 'true' });
  assert.deepEqual([endedOf(next.data), heard.all.length], [[], 1], 'reading it was being told');
});

test('2026-07-28: who does not listen learns it from the next result; who listens late, at once', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  await using agent = await rig.connect({ token });
  await using other = await rig.connect({ token, name: 'other' });
  const ending = rig.createEnding(5);
  const { data } = await agent.call('exec', { command: ending.command, background: true });
  const runId = String(data['runId']);
  ending.letGo();
  await other.call('process', { action: 'poll', runId, waitMs: 30_000 });
  const told: unknown[] = [];
  while (told.length === 0) {
    told.push(...endedOf((await agent.call('exec', { command: 'true' })).data));
  }
  assert.deepEqual(told, [[runId, 5]]);
  await using late = await rig.connect({ token, name: 'late' });
  const heard = hearUpdates(late);
  await late.client.listen({ resourceSubscriptions: [uriOf(runId)] });
  assert.equal((await heard.of(runId))['uri'], uriOf(runId));
});

test('2026-07-28: listening to a run of another account tells nothing', { skip }, async () => {
  await using user = await makeUnixUser();
  await using rig = await openMcpRig({ otherRunsAs: user });
  const mine = await rig.makeToken();
  const theirs = await rig.makeToken(['read', 'run'], rig.gateway.other);
  await using agent = await rig.connect({ token: mine.token });
  await using stranger = await rig.connect({ token: theirs.token });
  const [heard, overheard] = [hearUpdates(agent), hearUpdates(stranger)];
  const ending = rig.createEnding(0);
  const { data } = await agent.call('exec', { command: ending.command, background: true });
  const runId = String(data['runId']);
  const ownEnding = createEnding(user.home, 0);
  const own = await stranger.call('exec', { command: ownEnding.command, background: true });
  const ownId = String(own.data['runId']);
  await agent.client.listen({ resourceSubscriptions: [uriOf(runId)] });
  await stranger.client.listen({ resourceSubscriptions: [uriOf(runId), uriOf(ownId)] });
  ending.letGo();
  await heard.of(runId);
  ownEnding.letGo();
  await overheard.of(ownId);
  assert.equal(overheard.all.length, 1);
});

test('a client that comes back is told of what an earlier one of its token left going on', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  const first = await rig.connect({ token, revision: '2025-11-25' });
  const ending = rig.createEnding(6);
  const { data } = await first.call('exec', { command: ending.command, background: true });
  await first.transport.terminateSession();
  await first.close();
  await using second = await rig.connect({ token, revision: '2025-06-18' });
  const heard = hearMessages(second);
  ending.letGo();
  const { data: exit } = await heard.of(String(data['runId']));
  assert.equal((exit as Record<string, unknown>)['code'], 6);
});
