/*
 * The bytes on the wire: messages in pieces, noise, stderr, messages of a given size, and the trace of what came in.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  cut,
  expectedLines,
  expectMethod,
  gate,
  noise,
  pauseInput,
  raw,
  readTrace,
  respond,
  resumeInput,
  say,
  sayBytes,
  script,
  scriptFailedCode,
  stderr,
} from '@clawdfather/testkit';
import { driveAgent, temporaryDirectory, textOf } from './drive-agent.ts';

const options = { timeout: 60_000 };

test('a message comes in pieces with a gate and a line of stderr between', options, async (t) => {
  const cuts = [5, { at: 9, gate: 'a', stderr: 'between' }, { at: -2, gate: 'b' }];
  const agent = driveAgent(t, { script: script([cut(say('hé€😀'), ...cuts)]) });
  await agent.gate('a').reached();
  await agent.stderr(/^between\n$/);
  assert.equal((await agent.bytes(9)).toString(), '{"jsonrpc');
  agent.gate('a').release();
  await agent.gate('b').reached();
  agent.gate('b').release();
  assert.equal(textOf([await agent.next()]), 'hé€😀');
});

test('a piece may end inside a character', options, async (t) => {
  const whole = Buffer.from('{"jsonrpc":"2.0","method":"😀"}\n');
  const at = whole.indexOf(Buffer.from('😀')) + 2;
  const steps = [raw(whole.subarray(0, at)), gate('a'), raw(whole.subarray(at))];
  const agent = driveAgent(t, { script: script(steps) });
  await agent.gate('a').reached();
  assert.deepEqual(await agent.bytes(at), whole.subarray(0, at));
  agent.gate('a').release();
  assert.equal((await agent.next()).method, '😀');
});

test('a cut that is not in the message fails the script', options, async (t) => {
  const agent = driveAgent(t, { script: script([cut(say('x'), 20, 20)]) });
  await agent.stderr(/cannot be cut at 20 after 20/);
  assert.equal(await agent.ended(), scriptFailedCode);
});

test('noise and stderr come as written', options, async (t) => {
  const steps = [
    noise('Warning: {not json'),
    stderr('oh'),
    raw(Uint8Array.of(255, 0, 10)),
    say('x'),
  ];
  const agent = driveAgent(t, { script: script(steps) });
  assert.equal(await agent.next(), 'Warning: {not json');
  assert.equal(await agent.next(), '\ufffd\0');
  assert.equal(textOf([await agent.next()]), 'x');
  await agent.stderr(/^oh\n$/);
});

test('a message has exactly the size that was asked for', options, async (t) => {
  const size = 8 * 1024 * 1024;
  const agent = driveAgent(t, { script: script([sayBytes(size), say('x')]) });
  const all = await agent.bytes(size + 1);
  assert.equal(all.indexOf(10), size - 1);
  assert.match(textOf([await agent.next()]), /^(?:0123456789abcdef)*[0-9a-f]*$/);
  assert.equal(textOf([await agent.next()]), 'x');
});

test('the trace is what was received: once, in order, to the byte', options, async (t) => {
  const agent = driveAgent(t, { script: script([]) });
  const frames = ['{"a":1}\n', '\n', 'noise é\n', `${'x'.repeat(3_000_000)}\n`, '{"b"\r\n'].map(
    (text) => Buffer.from(text),
  );
  const all = Buffer.concat(frames);
  for (const [from, to] of [
    [0, 3],
    [3, 14],
    [14, 70_000],
    [70_000, all.length],
  ])
    agent.sendRaw(all.subarray(from, to));
  agent.sendRaw('torn');
  agent.endInput();
  assert.equal(await agent.ended(), 0);
  const { lines, input, pid } = agent.trace();
  assert.equal(pid, agent.pid);
  assert.deepEqual(lines, expectedLines(frames));
  assert.deepEqual(input, { ended: all.length, rest: 4 });
  /* It is no proof unless every change shows. */
  const [first, second, ...others] = frames as [Buffer, Buffer, ...Buffer[]];
  for (const wrong of [
    [second, first, ...others],
    [first, ...others],
    [first, first, second, ...others],
    [first, second, ...others.with(1, Buffer.from(`${'x'.repeat(2_999_999)}y\n`))],
  ])
    assert.notDeepEqual(lines, expectedLines(wrong));
});

test(
  'a trace holds several agents; half an entry at its end counts for nothing',
  options,
  async (t) => {
    const file = join(temporaryDirectory(t), 'trace');
    const steps = script([expectMethod('a'), respond({})], { trace: file, name: 'twice' });
    const before = ['env', `FAKE_AGENT_SCRIPT=${JSON.stringify(steps)}`, 'sh', '-c'];
    for (let count = 0; count < 2; count += 1) {
      /* The command line of the driver names a trace of its own, so only the entry is taken from it. */
      const agent = driveAgent(t, { before: [...before, 'exec "$0" "$1"'] });
      await agent.call('a');
      agent.endInput();
      assert.equal(await agent.ended(), 0);
    }
    assert.deepEqual(
      readTrace(file).map(({ started, lines }) => [started, lines.length]),
      [
        ['twice', 1],
        ['twice', 1],
      ],
    );
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text}{"pid":1,"star`);
    assert.equal(readTrace(file).length, 2);
    writeFileSync(file, text.replace('"offset":0', '"offset":1'));
    assert.throws(() => readTrace(file), /begins at 1, not at 0/);
  },
);

test('an agent that takes no input makes its client wait', options, async (t) => {
  const steps = [pauseInput(), gate('a'), resumeInput(), expectMethod('end'), respond({})];
  const agent = driveAgent(t, { script: script(steps) });
  await agent.gate('a').reached();
  /* More than pipes and buffers hold. */
  const long = `${'x'.repeat(8 * 1024 * 1024)}\n`;
  agent.sendRaw(long);
  assert.deepEqual(agent.trace().lines, []);
  agent.gate('a').release();
  assert.deepEqual((await agent.call('end')).result, {});
  assert.equal(agent.trace().lines[0]?.length, long.length);
  agent.endInput();
  await agent.ended();
});
