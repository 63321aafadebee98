/*
 * A terminal in front of a gateway's run: lent, left, taken up again; and the detach key on a run without a terminal, in both places.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launcherPath } from '../support/cli-process.ts';
import { detach, fullScreen } from '../support/full-screen.ts';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';

test('terminals and a gateway', { timeout: 180_000 }, async (context) => {
  const rig = createGatewayRig(context);
  let gateway = await rig.serve();
  const { url } = gateway;
  await rig.clf('login');
  const terminals = await createTerminalRig(context, rig.env);
  const at = ['-g', url];

  await context.test(
    'a full-screen program: detached, attached again twice, resized, ended',
    async () => {
      const command = ['run', ...at, '--pty', '--name', 'app', '--', 'sh', '-c', fullScreen];
      const first = await terminals.open(command);
      await first.shows(/size 12 80[^]*key none/);
      await first.type('y');
      await first.shows(/key y/);
      await first.type(detach);
      assert.equal((await first.exit()).code, 0);
      assert.match(first.screen(), /detached, run \w+ goes on; back with: clf attach -g http:/);
      for (const mode of ['?1049l', '?25h', '?1000l', '?1006l']) {
        assert.ok(first.raw().includes(`\u001b[${mode}`), `given back: ${mode}`);
      }

      const second = await terminals.open(['attach', ...at, 'app']);
      await second.shows(/size 12 80[^]*key y/);
      assert.ok(second.raw().includes('\u001b[?1006h'), 'modes are set again');
      await second.type('z');
      await second.shows(/key z/);
      // Another one watches and types; this machine's own way to the same run shows the same.
      const third = await terminals.open(['attach', '-g', 'local', 'app']);
      await third.shows(/key z/);
      await third.type('w');
      await second.shows(/key w/);
      await third.type(detach);
      assert.equal((await third.exit()).code, 0);
      await second.resize(60, 9);
      // The size and a key go two ways, and the shell looks at its traps only between two keys: the key must not be the first.
      const sizeOf = async (): Promise<number> =>
        JSON.parse((await rig.clf('screen', ...at, '--json', 'app')).stdout).cols;
      while ((await sizeOf()) !== 60);
      await second.type('v');
      await second.shows(/size 9 60[^]*key v/);
      await second.type('q');
      assert.equal((await second.exit()).code, 9, 'the exit code of the run');
    },
  );

  await context.test('a terminal of another width, then the size of the next one', async () => {
    const script = String.raw`printf '%070d\n> ' 7; trap "stty size" WINCH; sleep 600 & while :; do wait; done`;
    const command = ['run', ...at, '--pty', '--name', 'wide', '--', 'sh', '-c', script];
    const wide = await terminals.open(command, { cols: 100, rows: 20 });
    await wide.shows(/^0+7\n>/m);
    const narrow = await terminals.open(['attach', ...at, 'wide'], { cols: 60, rows: 12 });
    await narrow.shows(/^0{60}\n0+7\n>/m);
    await narrow.type('hello');
    await narrow.shows(/^0{60}\n0+7\n> hello$/m);
    await wide.type(detach);
    await wide.exit();
    await narrow.shows(/12 60$/m);
    assert.equal((await rig.clf('kill', ...at, 'wide')).code, 0);
    await narrow.exit();
  });

  await context.test(
    'a killed gateway is told of on one line, which is gone when the next one has drawn the screen',
    async () => {
      const command = ['run', ...at, '--pty', '--name', 'lost', '--', 'sh', '-c', fullScreen];
      const terminal = await terminals.open(command);
      await terminal.shows(/key none/);
      await terminal.type('y');
      await terminal.shows(/key y/);
      const before = terminal.screen();
      gateway.child.kill('SIGKILL');
      await endOf(gateway);
      await terminal.shows(/\[clf: connection lost, trying again; keys are not sent until it is/);
      assert.match(terminal.screen(), /size 12 80\n {2}key y\n/, 'nothing else has moved');
      await terminal.type('x');
      // Another terminal, which needs no gateway, types meanwhile.
      assert.equal((await rig.clf('send-keys', '-g', 'local', 'lost', '-l', 'w')).code, 0);
      gateway = await rig.serve('--listen', new URL(url).host);
      // The whole of it: in the middle of a repaint some of the line about the connection may still be there.
      const whole = RegExp.escape(before.replace('key y', 'key w'));
      await terminal.shows(new RegExp(`^${whole}$`));
      assert.ok(!terminal.raw().includes('connected again'));
      await terminal.type('v');
      await terminal.shows(/key v/);
      await terminal.type('q');
      assert.equal((await terminal.exit()).code, 9);
    },
  );

  await context.test(
    'Z1: a killed gateway gives the run its own size back, before any other gateway comes',
    async () => {
      const script = 'trap "stty size" WINCH; echo ready; while :; do sleep 0.01; done';
      const run = ['run', ...at, '-d', '--pty', '--name', 'sized', '--', 'sh', '-c', script];
      assert.equal((await rig.clf(...run)).code, 0);
      const terminal = await terminals.open(['attach', ...at, 'sized'], { cols: 61, rows: 13 });
      await terminal.shows(/13 61$/m);
      gateway.child.kill('SIGKILL');
      await endOf(gateway);
      const logs = async (): Promise<string> => (await rig.clf('logs', 'sized')).stdout;
      while (!/13 61\s+30 120\s+$/.test(await logs()));
      gateway = await rig.serve('--listen', new URL(url).host);
      // The terminal is still there, and has its size again.
      await terminal.shows(/30 120[^]*13 61$/m);
      await terminal.type(detach);
      assert.equal((await terminal.exit()).code, 0);
      while (!/30 120\s+$/.test(await logs()));
      assert.equal((await rig.clf('kill', ...at, 'sized')).code, 0);
    },
  );

  for (const [where, place] of [
    ['here', ['-g', 'local']],
    ['at a gateway', at],
  ] as const) {
    await context.test(
      `Ctrl-] Ctrl-] leaves a run without a terminal ${where}, and its terminal is as before`,
      async () => {
        const inner = 'echo ready; while read line; do echo "got $line"; done';
        const command = [launcherPath, 'run', ...place, '--', 'sh', '-c', inner];
        const compare =
          'before=$(stty -g); "$@"; code=$?; [ "$(stty -g)" = "$before" ] && echo "left with $code, modes as before"';
        const argv = ['sh', '-c', compare, 'sh', process.execPath, ...command] as const;
        const terminal = await terminals.openProgram([...argv]);
        await terminal.shows(/ready/);
        await terminal.type('some words\n');
        await terminal.shows(/got some words/);
        await terminal.type(detach);
        await terminal.shows(/left with 0, modes as before/);
        await terminal.exit();
        const said = /^\[clf: detached, run \w{12} goes on; back with: clf attach /m;
        assert.match(terminal.screen(), said);
        const [living = ''] = await rig.live();
        assert.notEqual(living, '', 'it goes on');
        // Its input was left open, and another can go on with it.
        assert.equal((await rig.clf('input', ...place, '--eof', living, 'more\n')).code, 0);
        assert.equal((await rig.clf('wait', ...place, living)).code, 0);
        assert.equal((await rig.clf('logs', living)).stdout, 'ready\ngot some words\ngot more\n');
      },
    );
  }

  await context.test('nothing is left running', async () => assert.deepEqual(await rig.live(), []));
});
