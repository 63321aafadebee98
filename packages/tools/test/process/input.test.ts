/*
 * What can be typed into a run: on pipes and on terminals, bytes, keys, Enter, pastes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessParams } from '@clawdfather/protocol';
import { openToolsRig, type ToolsRig } from '../support/tools-rig.ts';

/* Shows every byte it is given, without a line discipline in between. */
const showBytes = 'stty raw -echo; printf ready; exec od -An -tx1 -v -w1';

async function bytesAfter(rig: ToolsRig, runId: string, count: number): Promise<string> {
  let seen = '';
  for (;;) {
    const log = await rig.process<'log'>({ action: 'log', runId });
    seen = (log.text.replace(/^[^]*ready/, '').match(/\b[0-9a-f]{2}\b/g) ?? []).join(' ');
    if (seen.split(' ').length >= count && seen !== '') return seen;
    await rig.process<'poll'>({ action: 'poll', runId, waitMs: 50, cursor: log.cursor });
  }
}

for (const pty of [false, true]) {
  const on = pty ? 'a terminal' : 'pipes';

  test(`write reaches a program on ${on}, as text and as base64, and ends its input`, async (t) => {
    const rig = await openToolsRig(t);
    const { runId } = await rig.start({ command: 'cat', pty });
    await rig.process({ action: 'write', runId, data: 'täxt\n' });
    const data = Buffer.from('bytes\n').toString('base64');
    const written = await rig.process({ action: 'write', runId, data, encoding: 'base64' });
    assert.deepEqual(written, { action: 'write', runId, bytes: 6, isEof: false });
    await rig.process({ action: 'write', runId, eof: true });
    const end = await rig.untilEnded(runId);
    assert.equal(end.status, 'completed');
    assert.match(end.output, /täxt\n[^]*bytes\n/);
  });

  test(`a run on ${on} that has ended takes no input`, async (t) => {
    const rig = await openToolsRig(t);
    const run = await rig.exec({ command: 'true', pty });
    assert.ok(run.status === 'completed');
    const { runId } = run;
    await assert.rejects(rig.process({ action: 'write', runId, data: 'x' }), { code: 'run-ended' });
    await assert.rejects(rig.process({ action: 'submit', runId }), { code: 'run-ended' });
    await assert.rejects(rig.process({ action: 'signal', runId, signal: 'INT' }), {
      code: 'run-ended',
    });
  });
}

test('input that was ended takes no more', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'cat; sleep 300' });
  await rig.process({ action: 'write', runId, eof: true });
  await assert.rejects(rig.process({ action: 'write', runId, data: 'x' }), {
    code: 'stdin-closed',
  });
  await rig.process({ action: 'kill', runId });
});

test('nothing to send, no base64 and unknown keys are refused', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'cat' });
  const refused: readonly ProcessParams[] = [
    { action: 'write', runId },
    { action: 'write', runId, data: 'not base64!', encoding: 'base64' },
    { action: 'send-keys', runId },
    { action: 'send-keys', runId, keys: ['Entre'] },
    { action: 'paste', runId, text: '' },
  ];
  for (const params of refused) {
    await assert.rejects(rig.tools.process(params, rig.call()), { code: 'params-invalid' });
  }
  await rig.process({ action: 'kill', runId });
});

test('keys arrive in order: literal, hex, keys; cursor keys as the program asked for them', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: `printf '\\033[?1h'; ${showBytes}`, pty: true });
  await rig.untilSaid(runId, 'ready');
  await rig.process({
    action: 'send-keys',
    runId,
    literal: 'é',
    hex: ['00', '0x7f'],
    keys: ['C-a', 'Up', 'Enter'],
  });
  assert.equal(await bytesAfter(rig, runId, 9), 'c3 a9 00 7f 01 1b 4f 41 0d');
  await rig.process({ action: 'kill', runId });
});

test('on pipes the Enter key is a newline, and literal text stays as it is', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: `read line; printf '%s' "$line" | od -An -c` });
  await rig.process({ action: 'send-keys', runId, literal: 'a\r', keys: ['b', 'Enter'] });
  assert.equal((await rig.untilEnded(runId)).output, '   a  \\r   b\n');
});

test('submit is a carriage return on a terminal, a newline on pipes', async (t) => {
  const rig = await openToolsRig(t);
  const terminal = await rig.start({ command: showBytes, pty: true });
  await rig.untilSaid(terminal.runId, 'ready');
  await rig.process({ action: 'submit', runId: terminal.runId });
  assert.equal(await bytesAfter(rig, terminal.runId, 1), '0d');
  await rig.process({ action: 'kill', runId: terminal.runId });
  const pipes = await rig.start({ command: 'read line; echo "line: $line"' });
  await rig.process({ action: 'write', runId: pipes.runId, data: 'text' });
  await rig.process({ action: 'submit', runId: pipes.runId });
  assert.equal((await rig.untilEnded(pipes.runId)).output, 'line: text\n');
});

test('a paste is bracketed when the program asked for it, and cannot end early', async (t) => {
  const rig = await openToolsRig(t);
  const plain = await rig.start({ command: showBytes, pty: true });
  await rig.untilSaid(plain.runId, 'ready');
  const unbracketed = await rig.process({ action: 'paste', runId: plain.runId, text: 'a\nb' });
  assert.equal(unbracketed.isBracketed, false);
  assert.equal(await bytesAfter(rig, plain.runId, 3), '61 0d 62');
  await rig.process({ action: 'kill', runId: plain.runId });

  const asked = await rig.start({ command: `printf '\\033[?2004h'; ${showBytes}`, pty: true });
  await rig.untilSaid(asked.runId, 'ready');
  const text = 'x\u001b[201~; rm -rf /';
  const bracketed = await rig.process({ action: 'paste', runId: asked.runId, text });
  assert.equal(bracketed.isBracketed, true);
  const bytes = await bytesAfter(rig, asked.runId, bracketed.bytes);
  const [begin, end] = ['1b 5b 32 30 30 7e', '1b 5b 32 30 31 7e'];
  assert.ok(bytes.startsWith(begin) && bytes.endsWith(end), bytes);
  assert.equal(bytes.split(end).length, 2, 'one end, at the end');
  await rig.process({ action: 'kill', runId: asked.runId });
});

test('a program that does not read keeps nobody waiting for ever', async (t) => {
  let isHurried = false;
  const { clock } = await import('../support/tools-rig.ts');
  const rig = await openToolsRig(t, {
    clock: { ...clock, timer: (ms, fire) => clock.timer(isHurried ? ms / 50 : ms, fire) },
  });
  const { runId } = await rig.start({ command: 'sleep 300' });
  isHurried = true;
  await assert.rejects(rig.process({ action: 'write', runId, data: 'x'.repeat(8_000_000) }), {
    code: 'input-blocked',
  });
  isHurried = false;
  await rig.process({ action: 'kill', runId });
});
