/*
 * Signs of life, and how often.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { createProgress, type ProgressReport } from '../../src/mcp/progress.ts';

function rig() {
  const clock = createFakeClock();
  const sent: ProgressReport[] = [];
  const send = (report: ProgressReport): void => void sent.push(report);
  return { clock, sent, progress: createProgress({ clock, totalMs: 60_000, send }) };
}

test('a silent command is reported every five seconds', async () => {
  const { clock, sent, progress } = rig();
  await clock.advance(11_000);
  assert.deepEqual(sent, [
    { progress: 5_000, total: 60_000, message: 'running for 5 s' },
    { progress: 10_000, total: 60_000, message: 'running for 10 s' },
  ]);
  progress[Symbol.dispose]();
});

test('a chatty one at most once a second, with its last line', async () => {
  const { clock, sent, progress } = rig();
  for (let step = 1; step <= 25; step += 1) {
    progress.output(`line ${step}\n\n`);
    await clock.advance(100);
  }
  assert.deepEqual(
    sent.map(({ progress: at, message }) => [at, message]),
    [
      [1_000, 'line 10'],
      [2_000, 'line 20'],
    ],
  );
  progress[Symbol.dispose]();
});

test('nothing is sent after the end of the call', async () => {
  const { clock, sent, progress } = rig();
  progress.output('last words');
  progress[Symbol.dispose]();
  await clock.advance(60_000);
  assert.deepEqual(sent, []);
});

test('a message is short, whatever the command says', async () => {
  const { clock, sent, progress } = rig();
  progress.output('x'.repeat(100_000));
  await clock.advance(1_000);
  assert.equal(sent[0]?.message.length, 200);
  progress[Symbol.dispose]();
});
