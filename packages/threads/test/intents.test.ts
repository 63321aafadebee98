/*
 * Three intents that never mix (AP7): a cancel ends a turn and keeps the agent, a close ends the agent with all that it has started, and what
 * a lost gateway has begun is finished by the next one, wherever it was lost (AP6).
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  createHurryingClock,
  endTurn,
  expectInitialize,
  expectMethod,
  expectNew,
  expectResume,
  gate,
  onPrompt,
  respond,
  say,
  script,
  startChild,
  type Steps,
} from '@clawdfather/testkit';
import type { CrashPoint } from '@clawdfather/threads';
import { anAccount } from './support/memory-records.ts';
import { lives } from './support/processes.ts';
import { type GatewayOptions, type RigOptions, ThreadsRig } from './support/threads-rig.ts';

const nameOf = (id: string) => ({ accountId: anAccount, id });

function start(capabilities: object = { close: {}, delete: {}, resume: {} }): readonly Steps[] {
  const agentCapabilities = { sessionCapabilities: { ...capabilities } };
  return [expectInitialize({ agentCapabilities }), expectNew()];
}

const children = [startChild('tool'), startChild('daemon', { isApart: true })];
const goodbye = (method: string): Steps => [expectMethod(method), respond({}), gate('never')];

interface Begun extends RigOptions {
  readonly gateway?: GatewayOptions;
}

async function begin(t: TestContext, steps: readonly Steps[], options: Begun = {}) {
  const rig = new ThreadsRig(t, script(steps), options);
  const gateway = await rig.gateway(options.gateway);
  const { id, turnId } = await rig.ask(gateway.threads, 'hello');
  const { process } = await rig.runningAgent(id);
  return { rig, gateway, id, turnId, pid: process.rootPid };
}

const ended = (rig: ThreadsRig, id: string) =>
  rig.until('its lease has ended', () => rig.endedLeases(id).length > 0);

test('a cancel ends the turn, and the same process answers the next one', async (t) => {
  const steps = [onPrompt([say('one'), gate('never')]), onPrompt([say(' two'), endTurn()])];
  const { rig, gateway, id, turnId, pid } = await begin(t, [...start(), ...steps]);
  await rig.until('it answers', () => rig.text(id) === 'one');
  const { agents } = gateway.threads;
  assert.equal(await agents.cancelTurn(anAccount, turnId, { actor: 'device:1' }), true);
  assert.equal(await agents.cancelTurn(anAccount, turnId, { actor: 'device:1' }), false);
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.database.threads.get(id)?.turns.get(turnId)?.status, 'cancelled');
  assert.equal(rig.lease(id)?.state, 'open');
  const next = await rig.say(gateway.threads, id, 'again');
  await rig.until('the next turn has ended', () => rig.turnEnded(id, next));
  assert.equal(rig.lease(id)?.process?.rootPid, pid);
  assert.equal(rig.text(id), 'one two');
  assert.deepEqual(rig.endedLeases(id), []);
});

test('a cancel that is ignored for ten seconds ends the agent with all that it has started', async (t) => {
  const deaf = onPrompt([...children, say('one'), gate('never')], { onCancel: 'ignore' });
  const clock = createHurryingClock();
  const gateway = { clock };
  const { rig, gateway: first, id, turnId, pid } = await begin(t, [...start(), deaf], { gateway });
  await rig.until('it answers', () => rig.text(id) === 'one');
  const pids = [pid, rig.child('tool'), rig.child('daemon')];
  clock.hurry(50);
  await first.threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:1' });
  await ended(rig, id);
  const turn = rig.database.threads.get(id)?.turns.get(turnId);
  assert.deepEqual([turn?.status, turn?.result?.code], ['interrupted', 'aborted']);
  assert.equal(rig.endedLeases(id)[0]?.closing?.reason, 'cancel-ignored');
  assert.deepEqual(pids.map(lives), [false, false, false]);
  assert.equal(rig.methods().includes('session/close'), false);
});

test('a close says goodbye, ends the turn and the tree, also what left the group; the thread goes on', async (t) => {
  const turn = onPrompt([...children, say('one'), gate('never')]);
  const { rig, gateway, id, turnId, pid } = await begin(t, [
    ...start(),
    turn,
    goodbye('session/close'),
  ]);
  await rig.until('it answers', () => rig.text(id) === 'one');
  const pids = [pid, rig.child('tool'), rig.child('daemon')];
  await gateway.threads.agents.closeSession(nameOf(id), { reason: 'asked', actor: 'device:1' });
  await ended(rig, id);
  assert.deepEqual(rig.methods().slice(-2), ['session/cancel', 'session/close']);
  assert.deepEqual(pids.map(lives), [false, false, false]);
  const stored = rig.database.threads.get(id);
  const { status, result, cancelCause } = stored?.turns.get(turnId) ?? {};
  assert.deepEqual([status, result?.code, cancelCause], ['cancelled', 'aborted', 'closed']);
  const [lease] = rig.endedLeases(id);
  assert.equal(lease?.state, 'closed');
  const { atMs, ...closing } = lease.closing ?? { atMs: 0 };
  assert.ok(atMs > 0);
  assert.deepEqual(closing, { reason: 'asked', actor: 'device:1', discards: false });
  assert.deepEqual([stored?.thread.status, stored?.thread.nativeSessionId], ['ready', 'session-1']);
  rig.checkTrace(id);
});

test('what the agent has stored is deleted only where that is asked for, and only if it can', async (t) => {
  const turn = onPrompt([say('one'), endTurn()]);
  const cases = [
    { can: { close: {}, delete: {} }, discards: true, says: ['session/delete'] },
    { can: { close: {} }, discards: true, says: ['session/close'] },
    { can: { close: {}, delete: {} }, discards: false, says: ['session/close'] },
    { can: {}, discards: true, says: [] },
  ];
  for (const { can, discards, says } of cases) {
    const farewell = says.map((method) => goodbye(method));
    const steps = [...start(can), turn, ...(says.length === 0 ? [gate('never')] : farewell)];
    const { rig, gateway, id, turnId } = await begin(t, steps);
    await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
    const close = { discardPersistentState: discards };
    await gateway.threads.agents.closeSession(nameOf(id), close);
    await ended(rig, id);
    assert.deepEqual(
      rig.methods().filter((method) => ['session/close', 'session/delete'].includes(method)),
      says,
    );
    const { nativeSessionId } = rig.database.threads.get(id)?.thread ?? {};
    assert.equal(nativeSessionId, discards ? undefined : 'session-1');
  }
});

test('an agent that does not answer the goodbye is ended all the same', async (t) => {
  const steps = [...start(), onPrompt([say('one'), endTurn()]), gate('never')];
  const clock = createHurryingClock();
  const gateway = { clock };
  const { rig, gateway: first, id, turnId, pid } = await begin(t, steps, { gateway });
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  clock.hurry(50);
  await first.threads.agents.closeSession(nameOf(id));
  await ended(rig, id);
  assert.equal(lives(pid), false);
});

test('an agent can be had without a turn; whoever asks again has the same one', async (t) => {
  const rig = new ThreadsRig(t, script([...start(), onPrompt([say('one'), endTurn()])]));
  const { threads } = await rig.gateway();
  const given = { agent: 'fake', cwd: rig.dir, title: '' };
  const { id } = await threads.create(anAccount, given, { actor: 'device:1' });
  const [one, two] = await Promise.all([
    threads.agents.ensureSession(nameOf(id)),
    threads.agents.ensureSession(nameOf(id)),
  ]);
  assert.equal(one.runId, two.runId);
  assert.ok(lives(one.process?.rootPid ?? 0));
  const turnId = await rig.say(threads, id, 'hello');
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.lease(id)?.runId, one.runId);
  await assert.rejects(threads.agents.ensureSession(nameOf('no-thread')), {
    code: 'thread-not-found',
  });
});

const crashes: readonly (readonly [CrashPoint, CrashPoint?])[] = [
  ['before-commit'],
  ['after-commit'],
  ['before-deliver'],
  ['after-deliver'],
  ['before-acknowledge'],
  ['after-acknowledge'],
  ['before-end'],
  ['after-end'],
  // Of the end itself.
  ['before-commit', 'after-end'],
  ['after-commit', 'after-end'],
];

for (const [point, after] of crashes) {
  const where = after === undefined ? point : `${point}, after ${after}`;
  test(`a gateway that is lost in a close (${where}) leaves nothing: the next one finishes it`, {
    timeout: 60_000,
  }, async (t) => {
    const turn = onPrompt([...children, say('one'), gate('never')]);
    const steps = [...start(), turn, goodbye('session/close')];
    const lost = Promise.withResolvers<void>();
    const gateway = { onLost: () => lost.resolve() };
    const { rig, gateway: first, id, pid } = await begin(t, steps, { gateway });
    await rig.until('it answers', () => rig.text(id) === 'one');
    const pids = [pid, rig.child('tool'), rig.child('daemon')];
    first.loseOn(point, after);
    const closing = first.threads.agents.closeSession(nameOf(id)).catch(() => undefined);
    await lost.promise;
    await first.lose();
    await closing;
    const second = await rig.gateway();
    await second.threads.takeUp();
    // Lost before anything was stored: whoever asked was told so, and asks again.
    if (rig.lease(id)?.state === 'open') await second.threads.agents.closeSession(nameOf(id));
    await ended(rig, id);
    assert.deepEqual(pids.map(lives), [false, false, false]);
    const said = rig.methods().filter((method) => method === 'session/close');
    assert.ok(said.length <= 1);
    const [lease, ...more] = rig.endedLeases(id);
    assert.equal(lease?.state, 'closed');
    assert.deepEqual(more, []);
  });
}

test('a lease that was closing before its process had started ends without one', async (t) => {
  const { rig, gateway, id } = await begin(t, [...start(), gate('never')]);
  const lease = rig.lease(id);
  assert.ok(lease);
  await gateway.lose();
  const { thread } = await rig.database.records.create({
    agent: 'fake',
    cwd: rig.dir,
    title: '',
    instanceId: lease.instanceId,
  });
  const stored = rig.database.threads.get(thread.id);
  assert.ok(stored);
  const { process: _process, ...written } = lease;
  stored.run = { ...written, runId: 'written-only' as typeof lease.runId, state: 'closing' };
  const second = await rig.gateway();
  await second.threads.agents.reapStartupOrphans();
  await ended(rig, thread.id);
  assert.equal(second.supervisor.get('written-only' as typeof lease.runId), undefined);
});

test('an agent that was closed is followed by another, which takes the conversation up', async (t) => {
  const turn = onPrompt([say('one'), endTurn()]);
  const { rig, gateway, id, turnId } = await begin(t, [...start(), turn, goodbye('session/close')]);
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  await gateway.threads.agents.closeSession(nameOf(id));
  await ended(rig, id);
  const agentCapabilities = { sessionCapabilities: { resume: {} } };
  const more = [expectResume(), onPrompt([say(' two'), endTurn()])];
  rig.play(script([expectInitialize({ agentCapabilities }), ...more]));
  const next = await rig.say(gateway.threads, id, 'again');
  await rig.until('the next turn has ended', () => rig.turnEnded(id, next));
  assert.equal(rig.text(id), 'one two');
});
