/*
 * Terminals for real: `run --pty` and `attach` inside PTYs of our own, with
 * full-screen programs, detaching, watchers, and the one answerer (E8).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCliRig } from '../support/cli-process.ts';
import { detach, fullScreen } from '../support/full-screen.ts';
import { createTerminalRig } from '../support/terminal-rig.ts';

test('a full-screen program works, and its end gives the terminal back', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  const terminal = await terminals.open(['run', '--pty', '--', 'sh', '-c', fullScreen]);
  await terminal.shows(/size 12 80[^]*key none/);
  await terminal.type('x');
  await terminal.shows(/key x/);
  await terminal.resize(60, 9);
  // The shell looks at its traps only between two keys.
  await terminal.type('w');
  await terminal.shows(/size 9 60[^]*key w/);
  await terminal.type('q');
  const exit = await terminal.exit();
  assert.equal(exit.code, 9);
  assert.match(terminal.screen(), /\[clf: run \w+; Ctrl-\] Ctrl-\] detaches\]/);
});

test('E8: detach, attach again elsewhere: the same screen, painted and live', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  const first = await terminals.open([
    'run',
    '--pty',
    '--name',
    'app',
    '--',
    'sh',
    '-c',
    fullScreen,
  ]);
  await first.shows(/key none/);
  await first.type('y');
  await first.shows(/key y/);
  await first.type(detach);
  assert.equal((await first.exit()).code, 0);
  assert.match(first.screen(), /detached, run \w+ goes on; back with: clf attach/);
  for (const mode of ['?1049l', '?25h', '?1000l', '?1006l']) {
    assert.ok(first.raw().includes(`\u001b[${mode}`), `given back: ${mode}`);
  }

  const second = await terminals.open(['attach', 'app']);
  await second.shows(/size 12 80[^]*key y/);
  assert.ok(second.raw().includes('\u001b[?1006h'), 'modes are set again');
  await second.type('z');
  await second.shows(/key z/);
  await second.type('q');
  assert.equal((await second.exit()).code, 9, 'the exit code of the run');
  assert.deepEqual(await rig.live(), []);
});

test('E8: queries are answered once, by the terminal that is attached', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  // Asks for the cursor's position whenever it is told to, and shows what comes back.
  const asking = String.raw`
stty raw -echo
printf 'old query \033[6n'
while :; do
  k=$(dd bs=1 count=1 2>/dev/null)
  case $k in
    a) printf 'ask\033[6n';;
    q) stty sane; exit 0;;
    R) printf 'answered.';;
  esac
done`;
  const owner = await terminals.open(['run', '--pty', '--name', 'asks', '--', 'sh', '-c', asking]);
  await owner.shows(/old query answered\./);

  const watcher = await terminals.open(['attach', 'asks']);
  await watcher.shows(/old query answered\./);
  await owner.type('a');
  await owner.shows(/askanswered\./);
  await watcher.shows(/askanswered\./);
  assert.doesNotMatch(owner.screen(), /answered\.answered\./, 'nobody answered twice');
  assert.equal(watcher.answered(), '', 'a watcher is asked nothing');

  const third = await terminals.open(['attach', 'asks']);
  await third.shows(/askanswered\./);
  await owner.type(detach);
  await owner.exit();
  await third.type('a');
  await watcher.shows(/askanswered\.askanswered\./);
  assert.match(watcher.answered(), /R$/, 'the next one answers');
  assert.equal(third.answered(), '', 'and nobody else');
  await third.type(detach);
  await third.exit();
  await watcher.type('q');
  assert.equal((await watcher.exit()).code, 0);
});

test('E8: a terminal of another width shows the cursor in its place', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  const script = String.raw`printf '%070d\n> ' 7; while read line; do printf '%s again\n> ' "$line"; done`;
  const command = ['run', '--pty', '--name', 'wide', '--', 'sh', '-c', script];
  const first = await terminals.open(command, { cols: 100, rows: 20 });
  await first.shows(/^0+7\n>/m);
  const narrow = await terminals.open(['attach', 'wide'], { cols: 60, rows: 12 });
  await narrow.shows(/^0{60}\n0+7\n>/m);
  await narrow.type('hello\r');
  await narrow.shows(/^0{60}\n0+7\n> hello\nhello again\n>/m);
  await first.type(detach);
  await first.exit();
  await narrow.type(detach);
  await narrow.exit();

  const again = await terminals.open(['attach', 'wide'], { cols: 60, rows: 12 });
  await again.shows(/hello again\n>/);
  const wide = await terminals.open(['attach', 'wide'], { cols: 120, rows: 24 });
  await wide.shows(/^0{69}7\n> hello\nhello again\n>/m);
  await wide.type('bye\r');
  await wide.shows(/^0{69}7\n> hello\nhello again\n> bye\nbye again\n>/m);
});

test('attach says how to leave, where the screen has room for it and nothing is typed over it', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  const script = String.raw`printf '> '; while read line; do printf '%s again\n> ' "$line"; done`;
  await rig.clf('run', '-d', '--pty', '--name', 'line', '--', 'sh', '-c', script);
  const first = await terminals.open(['attach', 'line'], { cols: 80, rows: 5 });
  await first.shows(/^\[clf: run \w+; Ctrl-\] Ctrl-\] detaches\]\n>$/);
  await first.type('one\r');
  await first.shows(/detaches\]\n> one\none again\n>$/);
  await first.type('two\r');
  await first.shows(/two\ntwo again\n>$/);
  await first.type(detach);
  await first.exit();
  // The screen is full: the line takes the place of the oldest one.
  const second = await terminals.open(['attach', 'line'], { cols: 80, rows: 5 });
  await second.shows(
    /^\[clf: run \w+; Ctrl-\] Ctrl-\] detaches\]\none again\n> two\ntwo again\n>$/,
  );
  await second.type('three\r');
  await second.shows(/two again\n> three\nthree again\n>$/);
  const quiet = await terminals.open(['attach', '-q', 'line']);
  await quiet.shows(/^> two\ntwo again\n> three\nthree again\n>$/);
});

test('E8: when the first terminal leaves, the run gets the size of the next', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  const script = 'trap "stty size" WINCH; echo ready; sleep 600 & while :; do wait; done';
  const command = ['run', '--pty', '--name', 'sized', '--', 'sh', '-c', script];
  const first = await terminals.open(command, { cols: 100, rows: 20 });
  await first.shows(/ready/);
  const next = await terminals.open(['attach', 'sized'], { cols: 60, rows: 12 });
  await next.shows(/ready/);
  const last = await terminals.open(['attach', 'sized'], { cols: 70, rows: 14 });
  await last.shows(/ready/);
  assert.doesNotMatch(last.screen(), /12 60/, 'a terminal that looks on sets no size');
  await first.type(detach);
  await first.exit();
  await last.shows(/^12 60$/m);
  await next.type(detach);
  await next.exit();
  await last.shows(/^14 70$/m);
});

test('E8: a PTY run without a terminal is answered from the screen model', async (context) => {
  const rig = createCliRig(context);
  const asking = String.raw`stty raw -echo; printf 'ab\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c`;
  // Its stdin stays open: an end of file before `stty raw` is a NUL byte after it, as the kernel has it.
  const { stdout } = await rig.start({}, 'run', '--pty', '--', 'sh', '-c', asking).result;
  assert.match(stdout, /033 {3}\[ {3}1 {3}; {3}3 {3}R/);
});

test('one Ctrl-] goes to the program', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  const line = 'stty raw -echo; echo ready; dd bs=1 count=1 2>/dev/null | od -An -tx1';
  const terminal = await terminals.open(['run', '--pty', '--', 'sh', '-c', line]);
  await terminal.shows(/ready/);
  await terminal.type('\u001d');
  await terminal.shows(/1d/);
  assert.equal((await terminal.exit()).code, 0);
});

test('losing the terminal leaves the run alone', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  // Started outside, so that ending the terminal does not end the run as its descendant.
  const started = await rig.clf('run', '-d', '--pty', '--', 'sh', '-c', 'echo here; sleep 60');
  const id = started.stdout.trim();
  const terminal = await terminals.open(['attach', id]);
  await terminal.shows(/here/);
  await terminal.run.signal('SIGHUP');
  await terminal.exit();
  assert.deepEqual(await rig.live(), [id]);
});

test('Ctrl-C on a terminal interrupts the command, not us', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  const line = 'trap "echo got it; exit 4" INT; echo ready; while :; do sleep 0.05; done';
  const onPty = await terminals.open(['run', '--pty', '--', 'sh', '-c', line]);
  await onPty.shows(/ready/);
  await onPty.type('\u0003');
  assert.equal((await onPty.exit()).code, 4);
  const onPipes = await terminals.open(['run', '--', 'sh', '-c', line]);
  await onPipes.shows(/ready/);
  await onPipes.type('\u0003');
  assert.equal((await onPipes.exit()).code, 4);
  assert.match(onPipes.screen(), /got it/);
});

test('attach to a run on pipes: its output, our input, and leaving does not end it', async (context) => {
  const rig = createCliRig(context);
  const script = 'echo ready; while read line; do echo "got $line"; done; echo end';
  await rig.clf('run', '-d', '-i', '--name', 'pipes', '--', 'sh', '-c', script);
  const first = rig.start({ input: 'one\n' }, 'attach', 'pipes');
  await first.saw('got one');
  first.child.kill('SIGINT');
  const left = await first.result;
  assert.deepEqual([left.code, left.stdout], [0, 'ready\ngot one\n']);
  assert.match(left.stderr, /^\[clf: detached, run \w+ goes on; back with: clf attach \w+\]\n$/);

  const terminals = await createTerminalRig(context, rig.env);
  const second = await terminals.open(['attach', 'pipes']);
  await second.shows(/\[clf: run \w+; Ctrl-\] Ctrl-\] or Ctrl-C detaches\][^]*got one/);
  await second.type('two\r');
  await second.shows(/got two/);
  await second.type('\u0004');
  assert.equal((await second.exit()).code, 0);
  assert.match(second.screen(), /end$/);
});

test('attach says what to do when there is nothing to attach', async (context) => {
  const rig = createCliRig(context);
  const id = (await rig.clf('run', '-d', '--pty', '--', 'sleep', '60')).stdout.trim();
  const refused = await rig.clf('attach', id);
  assert.equal(refused.code, 125);
  assert.match(refused.stderr, /attach needs a terminal[^]*clf logs -f/);
  await rig.clf('kill', id);
  const ended = await rig.clf('attach', id);
  assert.match(ended.stderr, /has ended \(cancelled\)[^]*clf logs/);
});

test('a terminal run that is over at once still shows what it said', async (context) => {
  const rig = createCliRig(context);
  const terminals = await createTerminalRig(context, rig.env);
  for (let round = 0; round < 3; round += 1) {
    const terminal = await terminals.open([
      'run',
      '--pty',
      '-q',
      '--',
      'sh',
      '-c',
      'echo hi; exit 3',
    ]);
    assert.equal((await terminal.exit()).code, 3);
    assert.equal(terminal.screen(), 'hi');
  }
});
