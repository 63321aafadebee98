/*
 * I1: every byte goes in once, whoever dies and resends; and a child that does
 * not read holds up nobody but its sender.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { startShimDirect } from '../src/index.ts';
import type { SpawnRequest } from '../src/index.ts';
import { binaryPath, createEventLog, createProcessRig, readAll } from './process-rig.ts';

const options = { timeout: 60_000 };

async function started(request: SpawnRequest) {
  const log = createEventLog();
  startShimDirect(request, { binaryPath, onEvent: log.onEvent });
  await log.until('started');
  return log;
}

test('megabytes of input arrive whole, and end of input ends the command', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['sha256sum'], { stdin: 'open' });
  const log = await started(request);
  const control = await rig.control(request.runDir);
  const bytes = Buffer.from(createSeededRandom(1).bytes(5_000_000));
  const accepted = await control.input(bytes, { epoch: 1, offset: 0 });
  assert.equal(accepted.inputOffset, bytes.length);
  await control.request({ type: 'eof', epoch: 1, offset: bytes.length });
  const { exit } = await log.until('end');
  assert.equal(exit.code, 0);
  const { output } = await readAll(request.runDir);
  assert.equal(output.toString().slice(0, 64), createHash('sha256').update(bytes).digest('hex'));
});

test('bytes sent again are dropped, bytes out of order are refused', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['cat'], { stdin: 'open' });
  const log = await started(request);
  const first = await rig.control(request.runDir);
  await first.input(Buffer.from('hello '), { epoch: 1, offset: 0 });
  first.close();
  /* The sender died before it heard the answer; its successor sends it all again. */
  const second = await rig.control(request.runDir);
  assert.equal(second.hello.inputOffset, 6);
  await second.input(Buffer.from('hello world'), { epoch: 1, offset: 0 });
  const gap = { code: 'shim-refused', refusal: 'gap' };
  await assert.rejects(second.input(Buffer.from('!'), { epoch: 1, offset: 12 }), gap);
  await second.input(Buffer.from('typed'), { epoch: 1, offset: 'typed' });
  const last = await second.input(Buffer.from('.\n'), { epoch: 1, offset: 11 });
  assert.equal(last.inputOffset, 13, 'typed bytes are not counted in the stream');
  await second.request({ type: 'eof', epoch: 1, offset: 'now' });
  await log.until('end');
  assert.equal((await readAll(request.runDir)).output.toString(), 'hello worldtyped.\n');
});

test('after end of input everything is refused as closed', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['sh', '-c', 'cat; sleep 60'], { stdin: 'open' });
  await started(request);
  const control = await rig.control(request.runDir);
  await control.request({ type: 'eof', epoch: 1, offset: 'now' });
  const closed = { code: 'shim-refused', refusal: 'closed' };
  await assert.rejects(control.input(Buffer.from('x'), { epoch: 1, offset: 0 }), closed);
});

test('a child that does not read holds up its sender and nobody else', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['sh', '-c', 'read go; wc -c'], { stdin: 'open' });
  const log = await started(request);
  const bulk = await rig.control(request.runDir);
  const other = await rig.control(request.runDir);
  const stuck = rig.request(['sleep', '60'], { stdin: 'open' });
  await started(stuck);
  const stuckBulk = await rig.control(stuck.runDir);
  const abort = new AbortController();
  const waiting = stuckBulk.input(Buffer.alloc(2_000_000), {
    epoch: 1,
    offset: 0,
    signal: abort.signal,
  });
  waiting.catch(() => {});
  const stuckOther = await rig.control(stuck.runDir);
  const commands = { type: 'policy', epoch: 1, ownerLoss: 'adopt', leftovers: 'end' } as const;
  await stuckOther.request(commands);
  const isSettled = await Promise.race([waiting.then(() => true), Promise.resolve(false)]);
  assert.equal(isSettled, false);
  abort.abort(new Error('given up'));
  await assert.rejects(waiting, /given up/);
  const size = 1_000_000;
  const sent = bulk.input(Buffer.concat([Buffer.from('go\n'), Buffer.alloc(size, 'x')]), {
    epoch: 1,
    offset: 0,
  });
  await other.request(commands);
  await sent;
  await other.request({ type: 'eof', epoch: 1, offset: size + 3 });
  await log.until('end');
  assert.equal((await readAll(request.runDir)).output.toString().trim(), String(size));
});
