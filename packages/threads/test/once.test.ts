/*
 * A shell script as an agent, run once per turn: its answer, its exit code, its input, a cancel, its watchdog; and a gateway that is lost at
 * every point of it.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { OnceAgent } from '@clawdfather/agents';
import { script } from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

interface Options extends Partial<OnceAgent> {
  readonly timeoutMs?: number;
}

function rigWith(t: TestContext, text: string, { timeoutMs, ...once }: Options = {}): ThreadsRig {
  const argv = ['/bin/sh', '-c', text, 'agent'];
  const agent = { argv, once: { prompt: 'argument' as const, ...once }, timeoutMs };
  return new ThreadsRig(t, script([]), { once: agent });
}

function turnOf(rig: ThreadsRig, id: string, turnId: string) {
  return rig.database.threads.get(id)?.turns.get(turnId);
}

async function asked(rig: ThreadsRig, text: string) {
  const gateway = await rig.gateway();
  const { id, turnId } = await rig.ask(gateway.threads, text);
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  return { gateway, id, turnId };
}

test('the output is the answer, code 0 completes it; the next turn goes on, any other code fails', async (t) => {
  // With two arguments it goes on; the prompt is the last.
  const rig = rigWith(t, 'printf "%s:" "$#" "$@"; echo aside >&2; [ "$2" != fail ] || exit 3', {
    resume: ['-c'],
  });
  const { gateway, id, turnId } = await asked(rig, 'a "b" $c');
  assert.equal(rig.text(id), '1:a "b" $c:');
  assert.equal(turnOf(rig, id, turnId)?.status, 'completed');
  assert.ok(
    rig.events(id).some(({ type, payload }) => type === 'noise' && payload['text'] === 'aside\n'),
  );
  const next = await rig.say(gateway.threads, id, 'fail');
  await rig.until('the next has ended', () => rig.turnEnded(id, next));
  assert.equal(rig.text(id), '1:a "b" $c:2:-c:fail:');
  const failed = turnOf(rig, id, next);
  assert.deepEqual([failed?.status, failed?.result?.code], ['failed', 'error']);
  assert.match(failed?.result?.message ?? '', /3/);
});

test('a prompt on its input ends there', async (t) => {
  const rig = rigWith(t, 'cat; echo " at the end"', { prompt: 'stdin' });
  const { id, turnId } = await asked(rig, 'line\nline ü');
  assert.equal(rig.text(id), 'line\nline ü at the end\n');
  assert.equal(turnOf(rig, id, turnId)?.status, 'completed');
});

test('a cancel ends it with all that it started', async (t) => {
  const rig = rigWith(t, 'sleep 600 & echo "$!" > child; echo begun; wait');
  const gateway = await rig.gateway();
  const { id, turnId } = await rig.ask(gateway.threads, 'x');
  await rig.until('it has begun', () => rig.text(id) === 'begun\n');
  assert.equal(await gateway.threads.agents.cancelTurn(anAccount, turnId, { actor: 'me' }), true);
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(turnOf(rig, id, turnId)?.status, 'cancelled');
  assert.equal(existsSync(`/proc/${readFileSync(join(rig.dir, 'child'), 'utf8').trim()}`), false);
});

test('one that says nothing is ended by its shim, also while no gateway is alive', async (t) => {
  // Of a timeout of three seconds the watchdog has two.
  const rig = rigWith(t, 'echo begun; exec sleep 600', { timeoutMs: 3_000 });
  const first = await rig.gateway();
  const { id, turnId } = await rig.ask(first.threads, 'x');
  await rig.until('it has begun', () => rig.text(id) === 'begun\n');
  const pid = rig.database.threads.get(id)?.run?.process?.rootPid;
  await first.lose();
  await rig.until('its process is gone', () => !existsSync(`/proc/${pid}`));
  const second = await rig.gateway();
  await second.threads.takeUp();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  const turn = turnOf(rig, id, turnId);
  assert.equal(turn?.status, 'failed');
  const end = rig.events(id).find(({ payload }) => payload['event'] === 'agent-ended');
  assert.equal(end?.payload['reason'], 'no-output-timeout');
});

/* One gateway that is lost at its n-th point, while the script goes on; then another. True while there is an n-th. */
async function loseAt(t: TestContext, lostAt: number): Promise<boolean> {
  const rig = rigWith(
    t,
    'echo once >> starts; cat; until [ -e go ]; do sleep 0.02; done; echo two',
    { prompt: 'stdin' },
  );
  const first = await rig.gateway({ lostAt });
  const isLost = (): boolean => first.hasStopped();
  const sent = await rig.ask(first.threads, 'one ').catch(() => undefined);
  const [id = ''] = rig.database.threads.keys();
  const turnId = [...(rig.database.threads.get(id)?.turns.keys() ?? [])][0] ?? '';
  if (sent === undefined && turnId === '') {
    // The prompt was never stored, and its sender was told so.
    await rig.close();
    return isLost();
  }
  await rig.until('half of it is there, or it is lost', () => isLost() || rig.text(id) === 'one ');
  writeFileSync(join(rig.dir, 'go'), '');
  await rig.until('it ends, or is lost', () => isLost() || rig.turnEnded(id, turnId));
  const wasLost = isLost();
  await first.lose();
  const second = await rig.gateway();
  await second.threads.takeUp();
  await rig.until(`the turn has ended (${lostAt})`, () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'one two\n', `lost at ${lostAt}`);
  assert.equal(turnOf(rig, id, turnId)?.status, 'completed', `lost at ${lostAt}`);
  assert.equal(readFileSync(join(rig.dir, 'starts'), 'utf8'), 'once\n', `lost at ${lostAt}`);
  assert.deepEqual(rig.violations, []);
  await rig.close();
  return wasLost;
}

test('a gateway that is lost at any point loses nothing and runs nothing twice', async (t) => {
  let points = 0;
  while (await loseAt(t, points + 1)) points += 1;
  assert.ok(points > 10, `${points} points were tried`);
});
