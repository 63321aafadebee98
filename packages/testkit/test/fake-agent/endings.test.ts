/*
 * How a fake agent ends: by its script, by a signal, with its input, or not at all; and what it leaves behind on purpose.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  background,
  dieBy,
  exitWith,
  expectMethod,
  gate,
  say,
  sayBytes,
  script,
  startChild,
} from '@clawdfather/testkit';
import { driveAgent, textOf } from './drive-agent.ts';

const options = { timeout: 60_000 };

test('it exits with a code, or dies by a signal, after all it said', options, async (t) => {
  const size = 3 * 1024 * 1024;
  for (const [step, end] of [
    [exitWith(0), 0],
    [exitWith(7), 7],
    [dieBy('SIGKILL'), 'SIGKILL'],
    [dieBy('SIGTERM'), 'SIGTERM'],
    [dieBy('SIGSEGV'), 'SIGSEGV'],
  ] as const) {
    const agent = driveAgent(t, { script: script([sayBytes(size), step, say('never')]) });
    assert.equal(await agent.ended(), end);
    assert.equal((await agent.bytes(size)).length, size);
  }
});

test('it ends with its input: idle, at a gate, and waiting for a message', options, async (t) => {
  for (const steps of [[], [gate('a')], [expectMethod('a')], [background([gate('a')])]]) {
    const agent = driveAgent(t, { script: script([say('here'), ...steps]) });
    await agent.next();
    agent.endInput();
    assert.equal(await agent.ended(), 0);
    assert.equal(agent.trace().failed, undefined);
  }
});

test('what was received before the end of the input is played', options, async (t) => {
  const agent = driveAgent(t, {
    script: script([expectMethod('a'), expectMethod('b'), say('both')]),
  });
  agent.send({ method: 'a' });
  agent.send({ method: 'b' });
  agent.endInput();
  assert.equal(await agent.ended(), 0);
  assert.equal(textOf(agent.rest()), 'both');
});

test('an answer that was begun before the end of the input is given', options, async (t) => {
  const result = 'x'.repeat(3 * 1024 * 1024);
  const agent = driveAgent(t, { script: script([], { always: { big: result } }) });
  agent.send({ id: 1, method: 'big' });
  agent.endInput();
  assert.equal(await agent.ended(), 0);
  assert.equal(agent.rest()[0].result, result);
});

test('told to stay, it plays on after its input has ended, and stays', options, async (t) => {
  const steps = [say('here'), gate('a'), say('still here')];
  const agent = driveAgent(t, { script: script(steps, { staysAtEnd: true }) });
  await agent.next();
  await agent.gate('a').reached();
  agent.endInput();
  await agent.traced(({ input }) => input !== undefined);
  agent.gate('a').release();
  assert.equal(textOf([await agent.next()]), 'still here');
  process.kill(agent.pid, 'SIGTERM');
  assert.equal(await agent.ended(), 'SIGTERM');
});

test('it ignores the signals it was told to', options, async (t) => {
  const steps = [say('here'), gate('a'), say('alive')];
  const agent = driveAgent(t, { script: script(steps, { ignoredSignals: ['SIGTERM', 'SIGINT'] }) });
  await agent.next();
  process.kill(agent.pid, 'SIGTERM');
  process.kill(agent.pid, 'SIGINT');
  agent.gate('a').release();
  assert.equal(textOf([await agent.next()]), 'alive');
  agent.endInput();
  assert.equal(await agent.ended(), 0);
});

test(
  'children outlive it, apart or holding its output, and the trace has their ids',
  options,
  async (t) => {
    const steps = [
      startChild('apart', { isApart: true }),
      startChild('holding', { holdsOutput: true }),
      gate('a'),
      exitWith(3),
    ];
    const agent = driveAgent(t, { script: script(steps) });
    await agent.gate('a').reached();
    const { apart = 0, holding = 0 } = agent.trace().children;
    t.after(() => [apart, holding].forEach(endIfAlive));
    assert.deepEqual([sessionOf(apart) === apart, sessionOf(holding) === holding], [true, false]);
    agent.gate('a').release();
    await agent.exited();
    process.kill(apart, 'SIGKILL');
    /* The output ends with the last who holds it. */
    assert.ok(!agent.isOutputOver());
    process.kill(holding, 'SIGKILL');
    assert.equal(await agent.ended(), 3);
  },
);

/* The sixth field, the fourth after the name in brackets. */
function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}

function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    /* It has ended, as it should have. */
  }
}
