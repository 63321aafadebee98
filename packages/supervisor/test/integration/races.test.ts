/*
 * Two things at once: an end against a deadline, a cancel against a start. One of them wins, everybody agrees which,
 * and nothing is left of the other (S1, T3, T5).
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCode } from '@clawdfather/kit';
import type { RunExit, SupervisorEvent } from '@clawdfather/supervisor';
import { assertRecorded, createRig, type Rig, transports } from './rig.ts';

for (const { name, input } of transports) {
  test(`T3: exit against timeout, many times: one reason, the same for everybody (${name})`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const reasons = new Map<string, number>();
    const one = async (index: number): Promise<void> => {
      /* The command takes about as long as it may. */
      const run = await supervisor.spawn(
        input(rig, 'sleep 0.05; exit 7', { overallTimeoutMs: 40 + index, graceMs: 100 }),
      );
      const exit = await run.wait();
      reasons.set(exit.reason, (reasons.get(exit.reason) ?? 0) + 1);
      assertRecorded(supervisor, exit);
      if (exit.reason === 'exit') assert.equal(exit.code, 7);
      else assert.equal(exit.reason, 'overall-timeout');
    };
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 16 }, (_, index) => one(index * 2)));
    }
    const total = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(total, 48);
    assert.equal(rig.events.counted('run_exit_total'), 48);
    assert.equal(rig.events.all('exit').length, 48);
    const timeouts = rig.events.counted('run_timeout_total');
    assert.equal(timeouts, reasons.get('overall-timeout') ?? 0);
  });

  test(`T5: a timeout of one millisecond ends the run as any other (${name})`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const run = await supervisor.spawn(input(rig, 'exec sleep 300', { overallTimeoutMs: 1 }));
    const exit = await run.wait();
    assert.equal(exit.reason, 'overall-timeout');
    assertRecorded(supervisor, exit);
  });
}

test('T3: a cancel at the moment of the exit settles on one reason', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const one = async (): Promise<RunExit> => {
    const run = await supervisor.spawn(rig.sh('exit 4'));
    await run.cancel();
    return run.wait();
  };
  for (const exit of await Promise.all(Array.from({ length: 24 }, one))) {
    assert.match(exit.reason, /^(exit|manual-cancel)$/);
    if (exit.reason === 'exit') assert.equal(exit.code, 4);
    assertRecorded(supervisor, exit);
  }
  assert.equal(rig.events.all('exit').length, 24);
});

/* The stages of spawn-run.ts, as somebody outside can tell them apart. */
const stages: Readonly<Record<string, (abort: () => void, rig: Rig) => Disposable | undefined>> = {
  'before anything': (abort) => {
    abort();
    return undefined;
  },
  'while the record is being committed': (abort) => {
    queueMicrotask(abort);
    return undefined;
  },
  'when the record is there': (abort, rig) => onEvent(rig, 'spawn', abort),
  'when the request has been sent': (abort, rig) =>
    onEvent(rig, 'spawn', () => setImmediate(() => setImmediate(abort))),
  'when the command has started': (abort, rig) => onEvent(rig, 'started', abort),
};

function onEvent(rig: Rig, type: SupervisorEvent['type'], then: () => void): undefined {
  void rig.events.until(type).then(then);
}

for (const [stage, arrange] of Object.entries(stages)) {
  test(`S1: an abort ${stage} leaves nothing running and a reason`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const controller = new AbortController();
    const input = rig.sh('echo started >> lines; exec sleep 300', { runId: 'aborted' });
    arrange(() => controller.abort(), rig);
    const reason = await supervisor.spawn({ ...input, signal: controller.signal }).then(
      async (run) => (await run.wait()).reason,
      (error: unknown) => {
        assert.ok(hasCode(error, 'spawn-cancelled') || isAbort(error), String(error));
        return 'manual-cancel';
      },
    );
    assert.equal(reason, 'manual-cancel');
    const [record] = supervisor.list();
    if (record !== undefined) {
      assert.equal(record.state, 'exited');
      assert.equal(record.exit?.reason, 'manual-cancel');
      assert.equal(rig.events.all('exit').length, 1);
    }
    /* A run that never started leaves no directory either. */
    if (record?.startedAtMs === undefined) {
      assert.deepEqual(readdirSync(join(rig.stateDir, 'runs')), []);
    }
    await rig.untilGone(record?.pid ?? 2 ** 22);
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

test('S1: many spawns aborted at any moment leave nothing running', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const one = async (delay: number): Promise<void> => {
    const controller = new AbortController();
    const spawning = supervisor.spawn({ ...rig.sh('exec sleep 300'), signal: controller.signal });
    for (let turn = 0; turn < delay; turn += 1) await new Promise((next) => setImmediate(next));
    controller.abort();
    const run = await spawning.catch(() => undefined);
    await run?.wait();
  };
  await Promise.all(Array.from({ length: 48 }, (_, index) => one(index)));
  for (const record of supervisor.list()) assert.equal(record.exit?.reason, 'manual-cancel');
});

test('S1: the same run id twice is one run', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const input = rig.sh('echo once >> lines; exec sleep 300', {
    runId: 'twice',
    scopeKey: 'scope',
  });
  const [one, other] = await Promise.all([supervisor.spawn(input), supervisor.spawn(input)]);
  assert.equal(one.pid, other.pid);
  const elsewhere = await (await rig.owner()).call('spawn', input);
  assert.equal(elsewhere.pid, one.pid);
  await one.cancel();
  assert.equal((await other.wait()).reason, 'manual-cancel');
  assert.equal((await supervisor.spawn(input)).runId, 'twice', 'also after its end');
  assert.deepEqual(readdirSync(join(rig.stateDir, 'runs')), ['twice']);
});
