/*
 * `clf top` for real: on a terminal, into a pipe, and the terminal afterwards.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaveScreen } from '../../src/top/screen-painter.ts';
import { createCliRig } from '../support/cli-process.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';

interface LookJson {
  readonly runs: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly processes: number | null;
    readonly memoryBytes: number | null;
    readonly outputBytesPerSecond: number | null;
  }[];
  readonly ended: readonly {
    readonly name: string | null;
    readonly exit: { readonly reason: string };
  }[];
}

test('--once --json: the tree’s memory, the rate of output, the cause of an end', async (context) => {
  const rig = createCliRig(context);
  const noisy = 'sleep 600 & while :; do echo xxxxxxxxxxxxxxxx; sleep 0.01; done';
  await rig.clf('run', '-d', '--name', 'noisy', '--', 'sh', '-c', noisy);
  await rig.clf('run', '-d', '--name', 'short', '--', 'sh', '-c', 'kill -9 $$');
  await rig.clf('wait', 'short');
  const { stdout, code } = await rig.clf('top', '--once', '--json');
  assert.equal(code, 0);
  const { runs, ended } = JSON.parse(stdout) as LookJson;
  assert.deepEqual(
    runs.map(({ name }) => name),
    ['noisy'],
  );
  assert.ok((runs[0]?.processes ?? 0) >= 2);
  assert.ok((runs[0]?.memoryBytes ?? 0) > 0);
  assert.ok((runs[0]?.outputBytesPerSecond ?? 0) > 0);
  assert.deepEqual(
    ended.map(({ name, exit }) => [name, exit.reason]),
    [['short', 'signal']],
  );
});

test('into a pipe: a table for each look, without any escape sequence', async (context) => {
  const rig = createCliRig(context);
  await rig.clf('run', '-d', '--name', 'quiet', '--', 'sleep', '600');
  const top = rig.start({}, 'top', '--interval', '100ms');
  await top.saw('quiet');
  await rig.clf('kill', 'quiet');
  await top.saw('cancelled by cli:');
  top.child.kill('SIGTERM');
  const { stdout, signal } = await top.result;
  assert.equal(signal, 'SIGTERM');
  assert.ok(!stdout.includes('\u001b'));
});

test('on a terminal: keys, sizes, and a death while we look', async (context) => {
  const rig = createCliRig(context);
  for (const name of ['first', 'second']) {
    await rig.clf('run', '-d', '--name', name, '--', 'sleep', '600');
  }
  const terminals = await createTerminalRig(context, rig.env);
  const top = await terminals.open(['top', '--interval', '100ms'], { cols: 90, rows: 16 });
  await top.shows(/^2 running .*\n\nID +NAME +STATE +CPU%↓/);
  await top.type('n');
  await top.shows(/NAME↓[^]*first[^]*second/);
  await top.type('r');
  await top.shows(/NAME↑[^]*second[^]*first/);
  await top.resize(50, 10);
  await top.shows(/^2 running[^]*\n(?:.*\n){7}q quit/);
  await top.resize(90, 16);
  await rig.clf('kill', 'first');
  await top.shows(/^1 running[^]*ENDED[^]*first +cancelled by cli:/);
  await top.type('q');
  const exit = await top.exit();
  assert.equal(exit.code, 0);
  assert.ok(top.raw().endsWith(leaveScreen), 'the screen is given back');
});

test('signals: the terminal is given back, and the signal is passed on', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    const top = await terminals.open(['top']);
    await top.shows(/Nothing is running/);
    await top.run.signal(name);
    const exit = await top.exit();
    assert.equal(exit.signal, name);
    assert.ok(top.raw().endsWith(leaveScreen), name);
  }
});
