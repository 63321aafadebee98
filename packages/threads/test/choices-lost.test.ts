/*
 * What a person has chosen for an agent, while somebody is lost: the agent ends or never answers when it is told, a gateway is lost at any point
 * of telling it, a turn is cancelled meanwhile.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Clock } from '@clawdfather/kit';
import {
  createFastClock,
  exitWith,
  expectInitialize,
  expectMethod,
  expectResume,
  gate,
  openGate,
  respond,
  script,
} from '@clawdfather/testkit';
import type { Threads } from '@clawdfather/threads';
import {
  by,
  modes,
  setMode,
  setLarge,
  begin,
  turn,
  threadWith,
  saidAll,
  failureOf,
  currentOf,
  messageOf,
} from './support/choosing-agent.ts';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

test('the next process of a thread is told again', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([begin, ...setMode('code', respond({})), turn, exitWith(0)]),
  );
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'code' });
  await saidAll(rig, threads, id);
  await rig.until('the agent has ended', () => rig.lease(id) === undefined);
  rig.play(
    script([
      expectInitialize(),
      expectResume({ modes }),
      ...setMode('code', respond({})),
      turn,
      gate('never'),
    ]),
  );
  await saidAll(rig, threads, id);
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'code' });
});

test('an agent that ends when it is told a model gets the prompt in its next process, and is not told again', async (t) => {
  const [told] = setLarge;
  const rig = new ThreadsRig(t, script([begin, told!, gate('end'), exitWith(9)]));
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { model: 'large' });
  const turnId = await rig.say(threads, id, 'hello');
  await rig.until('it was told', () => rig.lease(id)?.setting !== undefined);
  rig.play(script([expectInitialize(), expectResume({ modes }), turn, gate('never')]));
  openGate(rig.gates, 'end').release();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'done');
  assert.match(String(messageOf(rig, id, 'choice-refused')), /ended when it was told so/);
});

test('an agent that ends when it is told a mode fails the turn, and its next process is told again', async (t) => {
  const rig = new ThreadsRig(t, script([begin, ...setMode('code', gate('end'), exitWith(9))]));
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'code' });
  const turnId = await rig.say(threads, id, 'hello');
  await rig.until('it was told', () => rig.lease(id)?.setting !== undefined);
  const begun = [expectInitialize(), expectResume({ modes })];
  rig.play(script([...begun, ...setMode('code', respond({})), turn, gate('never')]));
  openGate(rig.gates, 'end').release();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.match(failureOf(rig, id, turnId), /could not be set: the agent ended when it was told so/);
  await saidAll(rig, threads, id);
  assert.equal(rig.text(id), 'done');
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'code' });
});

/* Until it is given up, whenever the wait has been seen. */
async function waitTooLong(
  rig: ThreadsRig,
  { threads, clock, id }: { threads: Threads; clock: ReturnType<typeof skippingClock>; id: string },
): Promise<void> {
  await rig.until('it was told', () => rig.lease(id)?.setting?.call !== undefined);
  for (let looks = 0; rig.lease(id)?.setting?.call !== undefined; looks += 1) {
    assert.ok(looks < 1_000, 'it is never given up');
    clock.skip(31_000);
    // Whatever makes it look again.
    await threads.agents.reapStartupOrphans();
    await clock.sleep(5);
  }
}

function skippingClock(): Clock & { readonly skip: (ms: number) => void } {
  const steady = createFastClock(1);
  let skippedMs = 0;
  return {
    ...steady,
    wallMs: () => steady.wallMs() + skippedMs,
    monotonicMs: () => steady.monotonicMs() + skippedMs,
    skip: (ms) => {
      skippedMs += ms;
    },
  };
}

test('an agent that does not answer to a model is prompted without it after a while', async (t) => {
  const rig = new ThreadsRig(t, script([begin, setLarge[0]!, turn, gate('never')]));
  const clock = skippingClock();
  const { threads } = await rig.gateway({ clock });
  const id = await threadWith(rig, threads, { model: 'large' });
  const turnId = await rig.say(threads, id, 'hello');
  await waitTooLong(rig, { threads, clock, id });
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.match(String(messageOf(rig, id, 'choice-refused')), /the agent did not answer/);
  assert.equal(rig.text(id), 'done');
});

test('an agent that does not answer to a mode fails the turn, what it takes late is shown, and the next turn sets what is chosen', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([
      begin,
      expectMethod('session/set_mode', { params: { modeId: 'code' }, as: 'late' }),
      gate('late'),
      respond({}, { to: 'late' }),
      gate('more'),
      ...setMode('plan', respond({})),
      turn,
      gate('never'),
    ]),
  );
  const clock = skippingClock();
  const { threads } = await rig.gateway({ clock });
  const id = await threadWith(rig, threads, { mode: 'code' });
  const turnId = await rig.say(threads, id, 'hello');
  await waitTooLong(rig, { threads, clock, id });
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.match(failureOf(rig, id, turnId), /could not be set: the agent did not answer/);
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'ask' });
  await threads.choose({ accountId: anAccount, id }, { chosen: { mode: 'plan' }, by });
  openGate(rig.gates, 'late').release();
  await rig.until('it is shown', () => currentOf(rig, id)['mode'] === 'code');
  assert.equal(
    messageOf(rig, id, 'choice-changed'),
    'Mode is “Code” now: the agent has answered late.',
  );
  openGate(rig.gates, 'more').release();
  await saidAll(rig, threads, id);
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'plan' });
  rig.checkTrace(id);
});

test('an agent that does not answer to its mode is replaced once nothing is chosen any more', async (t) => {
  const told = (modeId: string) => expectMethod('session/set_mode', { params: { modeId } });
  const rig = new ThreadsRig(t, script([begin, told('code'), told('ask'), gate('never')]));
  const clock = skippingClock();
  const { threads } = await rig.gateway({ clock });
  const id = await threadWith(rig, threads, { mode: 'code' });
  for (const chosen of [{ mode: 'code' }, { mode: null }]) {
    await threads.choose({ accountId: anAccount, id }, { chosen, by });
    const turnId = await rig.say(threads, id, 'hello');
    await waitTooLong(rig, { threads, clock, id });
    await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
    assert.match(failureOf(rig, id, turnId), /could not be set: the agent did not answer/);
  }
  rig.play(script([expectInitialize(), expectResume({ modes }), turn, gate('never')]));
  await saidAll(rig, threads, id);
  assert.equal(rig.text(id), 'done');
  assert.equal(rig.endedLeases(id).length, 1);
});

test('an agent that was told by a gateway that was lost has its time with the next one', async (t) => {
  const slow = setMode('code', gate('answer'), respond({}));
  const rig = new ThreadsRig(t, script([begin, ...slow, turn, gate('never')]));
  const first = await rig.gateway();
  const id = await threadWith(rig, first.threads, { mode: 'code' });
  const turnId = await rig.say(first.threads, id, 'hello');
  await rig.until('it was told', () => rig.lease(id)?.setting?.call !== undefined);
  await first.lose();
  const clock = skippingClock();
  clock.skip(3_600_000);
  const { threads } = await rig.gateway({ clock });
  await threads.takeUp();
  await rig.until('it is taken over', () => (rig.lease(id)?.epoch ?? 0) > 1);
  await threads.agents.reapStartupOrphans();
  openGate(rig.gates, 'answer').release();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'done');
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'code' });
  rig.checkTrace(id);
});

test('a turn that is cancelled while a value is set ends, and the next one goes on', async (t) => {
  const slow = setMode('code', gate('answer'), respond({}));
  const rig = new ThreadsRig(t, script([begin, ...slow, turn, gate('never')]));
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'code' });
  const turnId = await rig.say(threads, id, 'hello');
  await rig.until('it was told', () => rig.lease(id)?.setting !== undefined);
  await threads.agents.cancelTurn(anAccount, turnId, by);
  await rig.until('it has ended', () => rig.turnEnded(id, turnId));
  openGate(rig.gates, 'answer').release();
  await saidAll(rig, threads, id);
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'code' });
});

/* `npm run test:effects:long` takes every point. */
const step = process.env['SWEEP'] === 'all' ? 1 : 3;

/* One gateway that is lost at its n-th point, then another. True while there is an n-th. */
async function loseAt(t: TestContext, lostAt: number): Promise<boolean> {
  const steps = [begin, ...setLarge, ...setMode('code', respond({})), turn, gate('never')];
  const rig = new ThreadsRig(t, script(steps));
  const first = await rig.gateway({ lostAt });
  let id = '';
  const isLost = await (async () => {
    id = await threadWith(rig, first.threads, { mode: 'code', model: 'large' });
    const turnId = await rig.sayOnce(first.threads, id, 'hello');
    await rig.until('it has ended, or is lost', () => {
      return rig.turnEnded(id, turnId) || first.hasStopped();
    });
    return first.hasStopped();
  })().catch(() => true);
  await first.lose();
  if (isLost) {
    const { threads } = await rig.gateway();
    await threads.takeUp();
    const turnId = await rig.sayOnce(threads, id, 'hello');
    await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  }
  assert.equal(rig.text(id), 'done', `lost at ${lostAt}`);
  assert.deepEqual(currentOf(rig, id), { llm: 'large', mode: 'code' }, `lost at ${lostAt}`);
  rig.checkTrace(id);
  await rig.close();
  return isLost;
}

test('a gateway that is lost at any point of setting a value sets it once, and prompts once', {
  timeout: 300_000,
}, async (t) => {
  let points = 0;
  // Some at a time: each waits for its agent most of the time.
  for (let first = 1; ; first += 4 * step) {
    const next = Array.from({ length: 4 }, (_, index) => loseAt(t, first + index * step));
    const isThere = await Promise.all(next);
    points += isThere.filter(Boolean).length;
    if (isThere.includes(false)) break;
  }
  t.diagnostic(`${points} points`);
  assert.ok(points * step > 20, `${points} points`);
});
