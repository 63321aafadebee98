/*
 * Recovery 4: the host of an agent does not answer, or the gateway that has the agent is not heard any more. What may pass is tried again and
 * told; silence ends it; what is refused fails at once.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  createFastClock,
  createHurryingClock,
  endTurn,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  say,
  script,
} from '@clawdfather/testkit';
import { ThreadsError } from '@clawdfather/threads';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

const answers = script([expectInitialize(), expectNew(), onPrompt([say('one'), endTurn()])]);

/* A host that does not answer until it is told to. */
function awayHost(failure: () => Error = away) {
  const host = {
    isAway: true,
    tries: 0,
    enter: async () => {
      host.tries += 1;
      if (host.isAway) throw failure();
      return { sessionId: 'session', cwd: '/' };
    },
  };
  return host;
}

function away(): ThreadsError {
  const detail = { cause: 'timeout' };
  return new ThreadsError('host-away', 'web: The host did not answer in time.', { detail });
}

function turnOf(rig: ThreadsRig, id: string, turnId: string) {
  return rig.database.threads.get(id)!.turns.get(turnId)!;
}

function progressOf(rig: ThreadsRig, id: string) {
  return rig
    .events(id)
    .flatMap(({ payload: { progress } }) => (progress === undefined ? [] : [progress]))
    .map((progress) => progress as { readonly [key: string]: unknown });
}

async function ended(rig: ThreadsRig, id: string, turnId: string) {
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  const { status, result } = turnOf(rig, id, turnId);
  return [status, result?.code, result?.cause];
}

test('a host that is away for a while is tried again, and the turn says so', async (t) => {
  const host = awayHost();
  const rig = new ThreadsRig(t, answers, { enter: host.enter });
  const clock = createHurryingClock();
  clock.hurry(20);
  const { threads } = await rig.gateway({ clock });
  const { id, turnId } = await rig.ask(threads, 'hello');
  await rig.until('it was tried', () => host.tries >= 3);
  const { status, reaching } = turnOf(rig, id, turnId);
  assert.equal(status, 'running');
  assert.equal(reaching?.cause, 'timeout');
  host.isAway = false;
  await rig.until('it is reached', () => turnOf(rig, id, turnId).reaching === undefined);
  // Its agent starts at an ordinary pace.
  clock.hurry(1);
  assert.deepEqual(await ended(rig, id, turnId), ['completed', 'success', undefined]);
  assert.equal(turnOf(rig, id, turnId).reaching, undefined);
  const told = progressOf(rig, id);
  assert.equal(told.at(-1)?.['stage'], 'reached');
  const rests = told.slice(0, -1).map(({ nextTryMs }) => Number(nextTryMs));
  for (const [index, rest] of rests.entries()) {
    const wholeMs = Math.min(30_000, 1_000 * 2 ** index);
    assert.ok(rest <= wholeMs && rest >= 0.8 * wholeMs, `try ${index} after ${rest} ms`);
  }
  assert.match(
    String(told[0]?.['message']),
    /^web: The host did not answer in time; next try in 1 s$/,
  );
});

test('after a while of silence the turn is given up, also over a restart', async (t) => {
  const host = awayHost();
  const rig = new ThreadsRig(t, answers, { enter: host.enter, silenceMs: 20_000 });
  const first = await rig.gateway({ clock: createFastClock(20) });
  const { id, turnId } = await rig.ask(first.threads, 'hello');
  await rig.until('it was tried', () => (turnOf(rig, id, turnId).reaching?.tries ?? 0) >= 2);
  const since = turnOf(rig, id, turnId).reaching?.sinceMs;
  await first.lose();
  const next = await rig.gateway({ clock: createFastClock(20) });
  await next.threads.takeUp();
  assert.deepEqual(await ended(rig, id, turnId), ['failed', 'OPENCLAW_GATEWAY_LOST', 'timeout']);
  const { reaching } = turnOf(rig, id, turnId);
  assert.equal(reaching?.sinceMs, since, 'a restart begins nothing anew');
  assert.match(turnOf(rig, id, turnId).result?.message ?? '', /did not answer in time/);
});

test('a turn whose host is tried for is cancelled at once', async (t) => {
  const host = awayHost();
  const rig = new ThreadsRig(t, answers, { enter: host.enter });
  const { threads } = await rig.gateway({ clock: createFastClock(20) });
  const { id, turnId } = await rig.ask(threads, 'hello');
  await rig.until('it was tried', () => host.tries >= 2);
  assert.equal(await threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:1' }), true);
  assert.deepEqual(await ended(rig, id, turnId), ['cancelled', 'aborted', undefined]);
});

test('what is refused is not tried again', async (t) => {
  const host = awayHost(() => new Error('web: The host does not accept the key for this user.'));
  const rig = new ThreadsRig(t, answers, { enter: host.enter });
  const { threads } = await rig.gateway();
  const { id, turnId } = await rig.ask(threads, 'hello');
  assert.deepEqual(await ended(rig, id, turnId), ['failed', 'error', undefined]);
  assert.equal(host.tries, 1);
  assert.match(turnOf(rig, id, turnId).result?.message ?? '', /does not accept the key/);
});

/* A turn that runs at a gateway of another machine. */
async function elsewhere(t: TestContext) {
  const silenceMs = 10 * 60_000;
  const holding = script([expectInitialize(), expectNew(), onPrompt([say('one'), gate('never')])]);
  const rig = new ThreadsRig(t, holding, { silenceMs });
  const there = await rig.gateway();
  const { id, turnId } = await rig.ask(there.threads, 'hello');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  const lease = rig.lease(id)!;
  await there.lose();
  // As if it ran on another machine.
  rig.alterLease(id, { instanceId: 'there' });
  rig.database.beats.set('there', '1 1000');
  t.after(() => rig.alterLease(id, { instanceId: lease.instanceId }));
  const clock = createStepClock();
  const { threads } = await rig.gateway({ clock });
  const look = async (ms: number): Promise<void> => {
    clock.step(ms);
    await threads.giveUpLost();
  };
  return { rig, id, turnId, look, beat: (beat: string) => rig.database.beats.set('there', beat) };
}

/* A real clock that can be moved on. */
function createStepClock() {
  const real = createFastClock(1);
  let aheadMs = 0;
  const step = (ms: number): void => {
    aheadMs += ms;
  };
  return { ...real, monotonicMs: () => real.monotonicMs() + aheadMs, step };
}

test('a gateway that is silent for ten minutes has lost its turn; its agent is left alone', async (t) => {
  const { rig, id, turnId, look, beat } = await elsewhere(t);
  await look(0);
  for (let minute = 0; minute < 9; minute += 1) await look(60_000);
  assert.equal(rig.turnEnded(id, turnId), false);
  beat('1 31000');
  await look(60_000);
  await look(60_000);
  assert.equal(rig.turnEnded(id, turnId), false, 'it was heard meanwhile');
  for (let minute = 0; minute < 9; minute += 1) await look(60_000);
  const lost = ['interrupted', 'OPENCLAW_GATEWAY_LOST', 'gateway-silent'];
  assert.deepEqual(await ended(rig, id, turnId), lost);
  const { state, process: agent } = rig.lease(id)!;
  assert.equal(state, 'closing', 'it is ended when its gateway is back');
  process.kill(agent!.rootPid, 0);
});

test('time in which nobody looked is not silence', async (t) => {
  const { rig, id, turnId, look } = await elsewhere(t);
  await look(0);
  await look(3_600_000);
  await look(60_000);
  assert.equal(rig.turnEnded(id, turnId), false);
});
