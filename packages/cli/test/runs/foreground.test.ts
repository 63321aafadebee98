/*
 * `clf run` in the foreground is like the command itself: bytes, signals, input, ends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { watchForeground } from '../../src/runs/foreground.ts';
import { createFakeIo, type FakeIoOptions } from '../support/fake-io.ts';
import { createFakeRun } from '../support/fake-run.ts';

function start(ioOptions: FakeIoOptions = {}, isJson = false, run = createFakeRun()) {
  const io = createFakeIo(ioOptions);
  const clock = createFakeClock();
  const status = watchForeground({
    run,
    io,
    clock,
    isJson,
    isQuiet: false,
    isInputPumped: ioOptions.input !== undefined,
    actor: 'cli:1',
    placeFlag: '',
    detachKey: 'Ctrl-]',
    graceMs: undefined,
  });
  const settle = (): Promise<void> => clock.advance(0);
  return { run, io, clock, status, settle };
}

async function* failing(error: Error): AsyncIterable<never> {
  yield* [];
  throw error;
}

async function* chunks(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('output goes to its own stream and the exit code is passed on', async () => {
  const { run, io, status } = start();
  run.say('out');
  run.say('err', 'stderr');
  run.finish({ code: 3 });
  assert.deepEqual(await status, { kind: 'code', code: 3 });
  assert.equal(io.out(), 'out');
  assert.equal(io.err(), 'err');
});

test('of a run that somebody has removed it is not said that it goes on', async () => {
  const gone = new CodedError('run-not-found', 'it was removed');
  const refusal = { code: 'not_found' };
  const goneThere = Object.assign(new CodedError('request-refused', 'not found'), { refusal });
  for (const error of [gone, goneThere]) {
    const removed = {
      ...createFakeRun(),
      wait: () => Promise.reject(error),
      outputLent: () => failing(error),
    };
    const { io, status, clock } = start({}, false, removed);
    status.catch(() => {});
    await clock.advance(1_000);
    await assert.rejects(status, { code: error.code });
    assert.equal(io.err(), '');
  }
});

test('input is passed on in order, then its end', async () => {
  const { run, status, settle } = start({ input: chunks('a', 'b') });
  await settle();
  run.finish();
  await status;
  assert.deepEqual(run.calls, ['write "a"', 'write "b"', 'end']);
});

test('a lost terminal is no end of input', async () => {
  const { run, status, settle } = start({
    input: chunks('a'),
    isTerminal: true,
    isTerminalLost: () => true,
  });
  await settle();
  run.finish();
  await status;
  assert.deepEqual(run.calls, ['write "a"']);
});

test('input that cannot be read has ended, as nohup leaves it; a terminal may come back', async () => {
  async function* broken(): AsyncIterable<Uint8Array> {
    yield Buffer.from('a');
    throw Object.assign(new Error('EBADF: bad file descriptor, read'), { code: 'EBADF' });
  }
  const file = start({ input: broken() });
  await file.settle();
  file.run.finish();
  await file.status;
  assert.deepEqual(file.run.calls, ['write "a"', 'end']);

  const terminal = start({ input: broken(), isTerminal: true });
  await terminal.settle();
  terminal.run.finish();
  await terminal.status;
  assert.deepEqual(terminal.run.calls, ['write "a"']);
});

test('the first interrupt is passed on, a second one soon after ends the run', async () => {
  const { run, io, status, clock, settle } = start();
  io.raise('SIGINT');
  await settle();
  assert.deepEqual(run.calls, ['signal SIGINT cli:1']);
  await clock.advance(1_900);
  io.raise('SIGINT');
  await settle();
  assert.deepEqual(run.calls, ['signal SIGINT cli:1', 'cancel manual-cancel cli:1 2000']);
  run.finish({ reason: 'manual-cancel', code: undefined, signal: 'SIGTERM' });
  run.endTree();
  assert.deepEqual(await status, { kind: 'code', code: 143 });
});

test('T4: after a second interrupt we stay until the tree is gone, and a third hurries it', async () => {
  const { run, io, status, clock, settle } = start();
  io.raise('SIGINT');
  io.raise('SIGINT');
  await settle();
  run.finish({ reason: 'manual-cancel', code: undefined, signal: 'SIGTERM' });
  await clock.advance(3_000);
  assert.equal(await Promise.race([status, Promise.resolve('still here')]), 'still here');
  io.raise('SIGINT');
  await settle();
  assert.equal(run.calls.at(-1), 'cancel manual-cancel cli:1 1');
  run.endTree();
  assert.deepEqual(await status, { kind: 'code', code: 143 });
  assert.equal(io.err(), 'clf: run 3k9qv7hd2m5x cancelled\n');
});

test('T1: what cannot be ended does not keep us for ever', async () => {
  const { run, io, status, clock, settle } = start();
  io.raise('SIGINT');
  io.raise('SIGINT');
  await settle();
  run.finish({ reason: 'manual-cancel', code: undefined, signal: 'SIGTERM' });
  await clock.advance(15_000);
  assert.deepEqual(await status, { kind: 'code', code: 143 });
  assert.match(io.err(), /run 3k9qv7hd2m5x still has living processes/);
});

test('an interrupt after a while is a first one again', async () => {
  const { run, io, status, clock, settle } = start();
  io.raise('SIGINT');
  await clock.advance(2_100);
  io.raise('SIGINT');
  await settle();
  assert.deepEqual(run.calls, ['signal SIGINT cli:1', 'signal SIGINT cli:1']);
  run.finish();
  await status;
});

test('when the run dies of the signal that we got, we die of it too', async () => {
  const { run, io, status, settle } = start();
  io.raise('SIGINT');
  await settle();
  run.finish({ reason: 'signal', code: undefined, signal: 'SIGINT' });
  assert.deepEqual(await status, { kind: 'signal', signal: 'SIGINT' });
});

test('a run that handles the signal decides its own code', async () => {
  const { run, io, status, settle } = start();
  io.raise('SIGTERM');
  await settle();
  run.finish({ code: 0 });
  assert.deepEqual(await status, { kind: 'code', code: 0 });
  assert.deepEqual(run.calls, ['signal SIGTERM cli:1']);
});

test('Ctrl-Z stops the run and then us; continuing continues it', async () => {
  const { run, io, status, settle } = start();
  io.raise('SIGTSTP');
  await settle();
  assert.equal(io.stops(), 1);
  io.raise('SIGCONT');
  await settle();
  assert.deepEqual(run.calls, ['signal SIGSTOP cli:1', 'signal SIGCONT cli:1']);
  run.finish();
  await status;
});

test('a hangup leaves the run alone and says how to come back', async () => {
  const { run, io, status, settle } = start();
  await settle();
  io.raise('SIGHUP');
  assert.deepEqual(await status, { kind: 'signal', signal: 'SIGHUP' });
  assert.deepEqual(run.calls, []);
  assert.match(
    io.err(),
    /^\[clf: detached, run 3k9qv7hd2m5x goes on; back with: clf attach 3k9qv7hd2m5x\]$/m,
  );
});

test('a reader that is gone ends the run, and we exit as a broken pipe does', async () => {
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const { run, status, settle } = start({ stdoutError: () => broken });
  run.say('x');
  await settle();
  assert.deepEqual(run.calls, ['cancel manual-cancel cli:epipe']);
  run.finish({ reason: 'manual-cancel', code: undefined, signal: 'SIGTERM' });
  run.endTree();
  assert.deepEqual(await status, { kind: 'code', code: 141 });
});

test('leftovers and causes are told on stderr, once', async () => {
  const { run, io, status } = start();
  run.finish({ leftovers: [{ pid: 9, startTicks: 1, comm: 'ssh-agent' }] });
  await status;
  assert.match(io.err(), /left running: ssh-agent \(9\); end them with: clf kill 3k9qv7hd2m5x/);
  const timedOut = start();
  timedOut.run.finish({ reason: 'overall-timeout', code: undefined, signal: 'SIGTERM' });
  assert.deepEqual(await timedOut.status, { kind: 'code', code: 124 });
  assert.match(timedOut.io.err(), /ended after its time limit/);
});

test('JSON has one object per line and the exit last', async () => {
  const { run, io, status } = start({}, true);
  run.say('hi');
  run.finish();
  await status;
  const lines = io
    .out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map((line) => line['type']),
    ['output', 'exit'],
  );
  assert.equal(Buffer.from(String(lines[0]?.['data']), 'base64').toString(), 'hi');
});

test('a signal after the run is over is for us, when a reader holds us up', async () => {
  const run = createFakeRun();
  const io = createFakeIo();
  const clock = createFakeClock();
  const stuck = { ...io, stdout: { isTerminal: false, write: () => new Promise<void>(() => {}) } };
  const status = watchForeground({
    run,
    io: stuck,
    clock,
    isJson: false,
    isQuiet: false,
    isInputPumped: false,
    actor: 'cli:1',
    placeFlag: '',
    detachKey: 'Ctrl-]',
    graceMs: undefined,
  });
  run.say('nobody reads this');
  run.finish({ reason: 'signal', code: undefined, signal: 'SIGTERM' });
  await clock.advance(0);
  io.raise('SIGTERM');
  assert.deepEqual(await status, { kind: 'signal', signal: 'SIGTERM' });
  assert.deepEqual(run.calls, []);
  assert.doesNotMatch(io.err(), /goes on/);
});
