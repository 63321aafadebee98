/*
 * `clf run --host` and `clf exec --host` on a real sshd through a real gateway: from adding the host to a command that goes on while the
 * gateway is killed.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { sshdSkip } from '@clawdfather/testkit';
import { fullScreen } from '../support/full-screen.ts';
import { openRealHost } from '../support/real-host.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';

test('commands on an SSH host', { timeout: 300_000, skip: sshdSkip }, async (context) => {
  const host = await openRealHost(context);
  const { rig, sshd, address, run } = host;
  const terminals = await createTerminalRig(context, rig.env);

  await context.test('one conversation, and the next command runs there', async () => {
    const terminal = await terminals.open(['host', 'add', 'web', address], { cols: 200, rows: 40 });
    await terminal.shows(/Press Enter when that is done/);
    const early = await rig.clf('run', '--host', 'web', '--', 'true');
    assert.deepEqual([early.code, early.stdout], [125, '']);
    assert.match(
      early.stderr,
      /web: the last test of the connection did not succeed, or there was none\n {2}.*clf host test web/,
    );
    sshd.authorize((await rig.clf('key', 'show', '--public')).stdout.trim());
    await terminal.type('\r');
    await terminal.shows(/shows the key SHA256:/);
    await terminal.shows(/\[y\/N\]/);
    await terminal.type('y\r');
    await terminal.shows(/Done\. Try it: clf run --host web -- uname -a/);
    assert.equal((await terminal.exit()).code, 0);
    const tried = await rig.clf('run', '--host', 'web', '--', 'uname', '-a');
    assert.deepEqual([tried.code, tried.stderr], [0, '']);
    assert.match(tried.stdout, /^Linux /);
  });

  await context.test('exit code and both streams are those of the command', async () => {
    const { code, stdout, stderr } = await run('echo out; echo err >&2; exit 7').result;
    assert.deepEqual([code, stdout, stderr], [7, 'out\n', 'err\n']);
    const missing = await rig.clf('run', '--host', 'web', '-n', '--', 'no-such-program');
    assert.deepEqual([missing.code, /not found/.test(missing.stderr)], [127, true]);
    const late = await rig.clf(
      'run',
      '--host',
      'web',
      '-n',
      '--timeout',
      '1s',
      '--',
      'sleep',
      '600',
    );
    assert.equal(late.code, 124, late.stderr);
  });

  await context.test('input, its end, variables and a directory there', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
    const flags = ['run', '--host', 'web', '--'];
    assert.equal((await rig.clfWith({ input: lines }, ...flags, 'cat')).stdout, lines);
    const env = { PASSED: 'two words' };
    const inUsr = ['run', '--host', 'web', '-e', 'PASSED', '-e', 'GIVEN=value', '-C', '/usr', '--'];
    const shown = await rig.clfWith(
      { env, input: '' },
      ...inUsr,
      'sh',
      '-c',
      'echo "$PASSED,$GIVEN,$PWD"',
    );
    assert.equal(shown.stdout, 'two words,value,/usr\n', shown.stderr);
    const nowhere = await rig.clf('run', '--host', 'web', '-n', '-C', '/no/such', '--', 'pwd');
    assert.equal(nowhere.code, 252);
    assert.match(nowhere.stderr, /no\/such/);
  });

  await context.test('Ctrl-C ends it there with all that it started, and us with it', async () => {
    const mark = `431.${process.pid}`;
    const asked = run(`sleep ${mark} & echo up; sleep ${mark}`);
    await asked.saw('up');
    await untilTrue(() => sleepsFor(mark) === 2);
    asked.child.kill('SIGINT');
    assert.equal((await asked.result).signal, 'SIGINT');
    await untilTrue(() => sleepsFor(mark) === 0);
  });

  await context.test('a second Ctrl-C while the first one works is no mistake', async () => {
    const mark = `432.${process.pid}`;
    const stubborn = run(`trap '' TERM INT; echo up; while :; do sleep ${mark}; done`);
    await stubborn.saw('up');
    stubborn.child.kill('SIGINT');
    stubborn.child.kill('SIGINT');
    const { code, signal } = await stubborn.result;
    assert.ok(code !== 0 || signal !== null);
    await untilTrue(() => sleepsFor(mark) === 0);
  });

  await context.test('a terminal: keys, its size, its code', async () => {
    const command = ['run', '--host', 'web', '--pty', '--', 'sh', '-c', fullScreen];
    const terminal = await terminals.open(command);
    await terminal.shows(/size 12 80[^]*key none/);
    await terminal.type('y');
    await terminal.shows(/key y/);
    await terminal.resize(60, 9);
    // The size goes through a second process to the host: the program says when it has arrived.
    for (let tries = 0; !/size 9 60/.test(terminal.screen()); tries += 1) {
      assert.ok(tries < 200, terminal.screen());
      await terminal.type('z');
      await terminal.shows(/key z/);
      await terminal.type('w');
      await terminal.shows(/key w/);
    }
    await terminal.type('q');
    assert.equal((await terminal.exit()).code, 9);
    const interrupted = ['run', '--host', 'web', '--pty', '--', 'sh', '-c'];
    const asking = await terminals.open([...interrupted, 'trap "exit 5" INT; echo up; cat']);
    await asking.shows(/up/);
    await asking.type('\u0003');
    assert.equal((await asking.exit()).code, 5, 'Ctrl-C is a key there');
  });

  await context.test('it goes on while the gateway is killed, and nothing is missed', async () => {
    const slow = run('echo first; read line; echo "got $line"; echo last >&2; exit 6');
    await slow.saw('first');
    await host.killGateway();
    slow.child.stdin?.end('input after it\n');
    const { code, stdout, stderr } = await slow.result;
    assert.deepEqual([code, stdout], [6, 'first\ngot input after it\n'], stderr);
    assert.match(stderr, /^last$/m);
  });

  await context.test('-d and a name; exec with its own limit', async () => {
    const begun = await rig.clf(
      'run',
      '--host',
      'web',
      '-d',
      '--name',
      'server',
      '--',
      'sleep',
      '600',
    );
    assert.match(begun.stdout, /^\w{16}\n$/);
    const exec = await rig.clf('exec', '--host', 'web', '-c', 'echo "$PWD"; exit 3', '-C', '/usr');
    assert.deepEqual([exec.code, exec.stdout], [3, '/usr\n'], exec.stderr);
    const shell = await rig.clf('exec', '--host', 'web', '--shell', '/bin/dash', '-c', 'echo $0');
    assert.equal(shell.stdout, '/bin/dash\n');
    const listed = await rig.clf('ps', '-a', '--host', 'web', '--json');
    const runs = listed.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => cliShapes.run.parse(JSON.parse(line)));
    const limited = runs.find(({ command }) => command.includes('echo "$PWD"'));
    assert.deepEqual([limited?.timeoutMs, limited?.cwd], [120_000, '/usr']);
    const server = runs.find(({ name }) => name === 'server');
    assert.deepEqual([server?.timeoutMs, server?.cwd], [null, '~']);
    assert.ok(runs.every((one) => one.host === 'web'));
    assert.equal((await rig.clf('kill', '--host', 'web', 'server')).code, 0);
  });
});

function sleepsFor(argument: string): number {
  const pids = readdirSync('/proc').filter((entry) => /^[0-9]+$/.test(entry));
  return pids.filter((pid) => wordsOf(pid)[1] === argument).length;
}

function wordsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended.
    return [];
  }
}

/* Processes of others have no event for us; the limit of the test ends this. */
async function untilTrue(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
