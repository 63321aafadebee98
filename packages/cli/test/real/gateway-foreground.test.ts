/*
 * `clf run` at a gateway behaves like the command: signals, environment, and output over a gateway that is killed and comes back.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { CliProcess } from '../support/cli-process.ts';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';

test('a foreground run at a gateway', { timeout: 180_000 }, async (context) => {
  const rig = createGatewayRig(context);
  let gateway = await rig.serve();
  const { url } = gateway;
  await rig.clf('login');
  const run = (script: string, ...flags: string[]): CliProcess =>
    rig.start({}, 'run', '-g', url, ...flags, '--', 'sh', '-c', script);

  await context.test('the first SIGINT is the command’s to handle; we end as it does', async () => {
    const handled = run(
      'trap "echo caught; exit 5" INT; echo up; sleep 60 & wait',
      '--leftovers',
      'end',
    );
    await handled.saw('up');
    handled.child.kill('SIGINT');
    const { code, stdout } = await handled.result;
    assert.deepEqual([code, stdout], [5, 'up\ncaught\n']);

    const died = run('echo up; exec sleep 60');
    await died.saw('up');
    died.child.kill('SIGINT');
    assert.equal((await died.result).signal, 'SIGINT');
  });

  await context.test(
    'a second SIGINT takes the whole tree, and we stay until it is gone',
    async () => {
      const script =
        'trap "echo no" INT TERM; (trap "" INT TERM; sleep 600) & echo $!; while :; do sleep 0.1; done';
      const stubborn = run(script, '--grace', '200ms');
      await stubborn.saw('\n');
      const pid = stubborn.stdout().trim();
      stubborn.child.kill('SIGINT');
      await stubborn.saw('no');
      stubborn.child.kill('SIGINT');
      const { code, stderr } = await stubborn.result;
      assert.equal(code, 137);
      assert.match(stderr, /clf: run \w+ cancelled by device:\w+\n$/);
      assert.throws(() => readFileSync(`/proc/${pid}/comm`), `${pid} is gone when we are`);
    },
  );

  await context.test('SIGTERM is passed on; SIGHUP and kill -9 leave the run alone', async () => {
    const ended = run('echo up; exec sleep 600');
    await ended.saw('up');
    ended.child.kill('SIGTERM');
    assert.equal((await ended.result).signal, 'SIGTERM');
    for (const signal of ['SIGHUP', 'SIGKILL'] as const) {
      const left = run('echo up; exec sleep 600', '--name', signal);
      await left.saw('up');
      left.child.kill(signal);
      const { stderr } = await left.result;
      if (signal === 'SIGHUP')
        assert.match(
          stderr,
          /\[clf: detached, run \w+ goes on; back with: clf attach -g http:\/\/127\.0\.0\.1:\d+ /,
        );
    }
    assert.match(
      (await rig.clf('kill', '-g', url, 'SIGHUP', 'SIGKILL')).stdout,
      /^(\w{16} cancelled\n){2}$/,
    );
  });

  await context.test('only what -e names is passed on, and a terminal is told so', async () => {
    const env = { PASSED: 'two words', KEPT_BACK: 'secret' };
    const show = 'echo "$PASSED,$KEPT_BACK,$GIVEN"';
    const flags = ['-e', 'PASSED', '-e', 'GIVEN=value', '-e', 'NOT_SET_HERE'];
    const command = ['run', '-g', url, ...flags, '--', 'sh', '-c', show];
    const { stdout, stderr } = await rig.clfWith({ env }, ...command);
    const unset =
      'clf: warning: NOT_SET_HERE is not set here, so -e NOT_SET_HERE passes nothing on;';
    assert.equal(stdout, 'two words,,value\n');
    assert.ok(stderr.startsWith(unset), stderr);

    const terminals = await createTerminalRig(context, { ...rig.env, ...env });
    const told = await terminals.open(command);
    await told.exit();
    assert.match(told.screen(), /^clf: at local, with PASSED, GIVEN\ntwo words,,value$/m);
    const bare = await terminals.open(['run', '-g', url, '--', 'echo', 'done']);
    await bare.exit();
    assert.match(
      bare.screen(),
      /^clf: at local, with no variable of yours \(-e NAME passes one\)\ndone$/,
    );
    const quiet = await terminals.open(['run', '-q', '-g', url, '--', 'echo', 'done']);
    await quiet.exit();
    assert.equal(quiet.screen(), 'done');
  });

  await context.test(
    'a gateway that is killed in the middle: every byte once, and the exit code',
    async () => {
      const lines = 200;
      const script = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo $i; sleep 0.02; done; cat; exit 7`;
      const running = run(script);
      await running.saw('\n20\n');
      gateway.child.kill('SIGKILL');
      await endOf(gateway);
      running.child.stdin?.end('sent while nobody listened\n');
      gateway = await rig.serve('--listen', new URL(url).host);
      const { code, stdout, stderr } = await running.result;
      const counted = Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join('');
      assert.equal(stdout, `${counted}sent while nobody listened\n`);
      assert.equal(code, 7, stderr);
      assert.match(stderr, /connection lost.*\n(.*\n)*clf: connected again\n/);
    },
  );

  await context.test('nothing is left running', async () => assert.deepEqual(await rig.live(), []));
});
