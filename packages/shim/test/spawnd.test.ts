/*
 * spawnd and its shims, for real: one link, many runs, and everything that can be lost.
 */
import assert from 'node:assert/strict';
import { rmdirSync } from 'node:fs';
import { test } from 'node:test';
import { openJournalReader, parseFrameRecord, type RunEvent, startSpawnd } from '../src/index.ts';
import { collect } from './journal-rig.ts';
import { binaryPath, bootId, clock, createEventLog, createProcessRig } from './process-rig.ts';
import { isAlive, readAll, untilGone } from './process-rig.ts';

const options = { timeout: 60_000 };

test('spawnd says who it is', options, async (t) => {
  const link = await createProcessRig(t).startSpawnd();
  assert.equal(link.hello.version, 1);
  assert.equal(link.hello.bootId, bootId);
  assert.ok(isAlive(link.hello.pid));
});

test('a small run: started, then the end with its whole journal', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await rig.startSpawnd();
  const log = createEventLog();
  const request = rig.request(['sh', '-c', 'echo out; echo err >&2; exit 3']);
  const sinceMs = performance.now();
  link.spawn(request, log.onEvent);
  const { start } = await log.until('started');
  const { exit, end, journal, journalLength } = await log.until('end');
  assert.equal(start.bootId, bootId);
  assert.equal(start.pid, start.pgid);
  assert.equal(exit.code, 3);
  assert.equal(exit.signal, undefined);
  assert.equal(exit.reason, 'exit');
  assert.ok(exit.durationMs <= Math.ceil(performance.now() - sinceMs));
  assert.equal(end.isFinal, true);
  assert.equal(journal?.length, journalLength);
  const reader = openJournalReader('/nowhere', {
    shimAlive: () => false,
    inlined: journal,
  });
  const seen = await collect(reader);
  assert.equal(seen.last.kind, 'closed');
  assert.deepEqual(seen.output.toString().trim().split('\n').sort(), ['err', 'out']);
  assert.deepEqual(
    seen.kinds.filter((kind) => kind !== 'output'),
    ['meta', 'start', 'exit', 'end'],
  );
  const file = await readAll(request.runDir);
  assert.deepEqual(file.output, seen.output);
  await untilGone(start.shimPid);
});

test('both streams keep their names, and death by a signal is one', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await rig.startSpawnd();
  const log = createEventLog();
  const request = rig.request(['sh', '-c', 'echo o; echo e >&2; kill -KILL $$']);
  link.spawn(request, log.onEvent);
  const { exit } = await log.until('end');
  assert.equal(exit.code, undefined);
  assert.equal(exit.signal, 9);
  assert.equal(exit.reason, 'signal');
  const reader = openJournalReader(request.runDir, { shimAlive: () => false });
  const read = await reader.read({ offset: 0, payloadOffset: 0 });
  await reader.close();
  assert.ok(read.kind === 'frames');
  const texts = read.frames
    .filter((frame) => frame.kind === 'output')
    .map((frame) => `${frame.stream} ${frame.payload.toString().trim()}`);
  assert.deepEqual(texts.sort(), ['stderr e', 'stdout o']);
});

test('a command that does not exist: the error, then the end', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await rig.startSpawnd();
  const log = createEventLog();
  const request = rig.request(['/no/such/program']);
  link.spawn(request, log.onEvent);
  const error = await log.until('spawn-error');
  const { exit, end } = await log.until('end');
  assert.equal(error.errno, 2);
  assert.equal(error.stage, 'exec');
  assert.equal(error.endFollows, true);
  assert.equal(exit.reason, 'spawn-error');
  assert.equal(exit.stage, 'exec');
  assert.equal(exit.errno, 2);
  assert.equal(end.isFinal, true);
  const { kinds } = await readAll(request.runDir);
  assert.deepEqual(
    kinds.filter((kind) => kind !== 'output'),
    ['meta', 'exit', 'end'],
    'the sanitizers may say something',
  );
});

test(
  'S1: a voided intent starts nothing, and a claimed one is claimed once',
  options,
  async (t) => {
    const rig = createProcessRig(t);
    const link = await rig.startSpawnd();
    const voided = createEventLog();
    const voidedRequest = rig.request(['true']);
    rmdirSync(voidedRequest.runDir);
    link.spawn(voidedRequest, voided.onEvent);
    const gone = await voided.until('spawn-error');
    assert.equal(gone.stage, 'claim');
    assert.equal(gone.errno, 2);
    assert.equal(gone.endFollows, false);
    const request = rig.request(['sleep', '60']);
    const logs = [createEventLog(), createEventLog()];
    for (const log of logs) link.spawn(request, log.onEvent);
    const isDecided = ({ type }: RunEvent): boolean => type === 'started' || type === 'spawn-error';
    const decided = await Promise.all(logs.map((log) => log.untilMatch(isDecided)));
    const refused = decided.find((event) => event.type === 'spawn-error');
    assert.ok(refused?.type === 'spawn-error');
    assert.equal(refused.stage, 'claim');
    assert.equal(refused.errno, 17);
    assert.equal(decided.filter((event) => event.type === 'started').length, 1, 'one of them wins');
    assert.equal(voided.events.length, 1);
  },
);

test('output rings the doorbell, and what it announces is there', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await rig.startSpawnd();
  const log = createEventLog();
  const request = rig.request(['sh', '-c', 'while read line; do echo "got $line"; done'], {
    stdin: 'open',
  });
  link.spawn(request, log.onEvent);
  await log.until('started');
  const control = await rig.control(request.runDir);
  const reader = openJournalReader(request.runDir, { shimAlive: () => true });
  let next = { offset: 0, payloadOffset: 0 };
  for (const word of ['one', 'two', 'three']) {
    const before = (await collect(reader, next)).next;
    await control.input(Buffer.from(`${word}\n`), { epoch: 1, offset: 'typed' });
    await log.untilMatch(
      (event) => event.type === 'doorbell' && event.journalLength > before.offset + 32,
    );
    let seen = await collect(reader, before);
    while (seen.output.length === 0) {
      await clock.sleep(1);
      seen = await collect(reader, seen.next);
    }
    assert.equal(seen.output.toString(), `got ${word}\n`);
    next = seen.next;
  }
  await reader.close();
});

test('a hundred runs on one link, each with its own events', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await rig.startSpawnd();
  const runs = Array.from({ length: 100 }, (_, index) => {
    const log = createEventLog();
    const request = rig.request(['sh', '-c', `echo ${index}; exit ${index}`]);
    link.spawn(request, log.onEvent);
    return { log, request, index };
  });
  for (const { log, request, index } of runs) {
    const { exit } = await log.until('end');
    assert.equal(exit.code, index);
    assert.equal((await readAll(request.runDir)).output.toString(), `${index}\n`);
    assert.deepEqual(
      log.events.map((event) => event.type).filter((type) => type !== 'doorbell'),
      ['started', 'end'],
    );
  }
});

test('T7: spawnd is killed: the runs hear it, go on, and can be reached', options, async (t) => {
  const rig = createProcessRig(t);
  const lost: string[] = [];
  const link = await startSpawnd({
    binaryPath,
    clock,
    onLost: (error) => lost.push(error.code),
  });
  const log = createEventLog();
  const request = rig.request(['sleep', '60']);
  link.spawn(request, log.onEvent);
  const { start } = await log.until('started');
  process.kill(link.hello.pid, 'SIGKILL');
  const { error } = await log.until('lost');
  assert.equal(error.code, 'link-lost');
  assert.deepEqual(lost, ['link-lost']);
  assert.equal(link.isLost, true);
  assert.throws(() => link.spawn(request, log.onEvent), { code: 'link-lost' });
  assert.ok(isAlive(start.pid));
  const control = await rig.control(request.runDir);
  assert.equal(control.hello.state, 'running');
  const terminate = { type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' } as const;
  await control.request(terminate);
  await untilGone(start.shimPid);
  const records = await readAll(request.runDir);
  assert.equal(records.last.kind, 'closed');
  assert.ok(!isAlive(start.pid));
});

test('T8: a shim is killed: its tree is swept and the run hears it', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await rig.startSpawnd();
  const log = createEventLog();
  const script = 'setsid sleep 60 & sleep 60 & echo ready; wait';
  const request = rig.request(['sh', '-c', script]);
  link.spawn(request, log.onEvent);
  const { start } = await log.until('started');
  await log.until('doorbell');
  process.kill(start.shimPid, 'SIGKILL');
  const lost = await log.until('shim-lost');
  assert.equal(lost.shimPid, start.shimPid);
  assert.equal(lost.signal, 9);
  await untilGone(start.pid);
  assert.equal((await readAll(request.runDir)).last.kind, 'tail-lost');
});

test('spawnd ends after its last run once its link is closed', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await startSpawnd({ binaryPath, clock });
  const log = createEventLog();
  const request = rig.request(['sh', '-c', 'read line; echo $line'], { stdin: 'open' });
  link.spawn(request, log.onEvent);
  await log.until('started');
  link.close();
  const control = await rig.control(request.runDir);
  assert.ok(isAlive(link.hello.pid));
  await control.input(Buffer.from('go\n'), { epoch: 1, offset: 0 });
  await untilGone(control.hello.shimPid);
  await untilGone(link.hello.pid);
  assert.equal((await readAll(request.runDir)).output.toString(), 'go\n');
  assert.equal(
    log.events.some((event: RunEvent) => event.type === 'lost'),
    false,
  );
});

test('a program that is not there, and a start that is not wanted any more', options, async () => {
  await assert.rejects(startSpawnd({ binaryPath: '/no/shim', clock }), { code: 'shim-missing' });
  const signal = AbortSignal.abort(new Error('not wanted'));
  await assert.rejects(startSpawnd({ binaryPath, clock, signal }), /not wanted/);
});

test('a run on a terminal: resize, attach and the records of both', options, async (t) => {
  const rig = createProcessRig(t);
  const link = await rig.startSpawnd();
  const log = createEventLog();
  const script = 'trap "stty size; exit 0" WINCH; stty size; while :; do sleep 0.05; done';
  const request = rig.request(['sh', '-c', script], { pty: { cols: 81, rows: 25 } });
  link.spawn(request, log.onEvent);
  const { start } = await log.until('started');
  assert.equal(start.isPty, true);
  const control = await rig.control(request.runDir);
  assert.equal(control.hello.isPty, true);
  const attached = await control.request({ type: 'attach', epoch: 1, isAttached: true });
  assert.equal(attached.answersQueries, true);
  await log.until('doorbell');
  let first = await readAll(request.runDir, () => true);
  while (!first.output.includes('\n')) {
    await clock.sleep(5);
    first = await readAll(request.runDir, () => true);
  }
  assert.equal(first.output.toString(), '25 81\r\n');
  await control.request({ type: 'resize', epoch: 1, cols: 100, rows: 40 });
  await log.until('end');
  const reader = openJournalReader(request.runDir, { shimAlive: () => false });
  const read = await reader.read({ offset: 0, payloadOffset: 0 });
  await reader.close();
  assert.ok(read.kind === 'frames');
  const records = read.frames.map(parseFrameRecord);
  assert.ok(records.some((one) => one?.kind === 'resize' && one.cols === 100 && one.rows === 40));
  assert.ok(records.some((one) => one?.kind === 'note' && one.note === 'attached'));
  assert.equal((await readAll(request.runDir)).output.toString(), '25 81\r\n40 100\r\n');
});
