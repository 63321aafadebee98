/*
 * The fake agent where it is meant to live: in a supervised run, started by a shim, outliving the supervisor that asked for
 * it. Frames are said again at their offsets by the next supervisor, and the trace shows that each arrived once.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSupervisor } from '@clawdfather/supervisor';
import {
  endTurn,
  expectedLines,
  expectInitialize,
  expectNew,
  fakeAgentCommand,
  gate,
  onPrompt,
  openGate,
  readTrace,
  say,
  script,
  writeScript,
} from '@clawdfather/testkit';
import { handshakeCalls, promptParams, temporaryDirectory, textOf } from './drive-agent.ts';

test('an agent at a gate changes supervisors; its frames arrive once', {
  timeout: 60_000,
}, async (t) => {
  const dir = temporaryDirectory(t);
  const gates = join(dir, 'gates');
  const trace = join(dir, 'trace');
  const way = openGate(gates, 'a');
  const steps = [
    expectInitialize(),
    expectNew(),
    onPrompt([say('hel'), gate('a'), say('lo'), endTurn()]),
  ];
  const file = writeScript(join(dir, 'script'), script(steps));
  const calls = [...handshakeCalls, ['session/prompt', promptParams('hi')] as const];
  const frames = calls.map(([method, params], id) =>
    Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`),
  );

  const first = await createSupervisor({ stateDir: join(dir, 'state') });
  const run = await first.spawn({
    mode: 'child',
    argv: fakeAgentCommand({ script: file, gates, trace }),
    cwd: '/',
    env: {},
    sessionId: 'fake',
    backendId: 'fake-agent',
    overallTimeoutMs: 60_000,
    journal: { mode: 'hold', bytesMax: 2 ** 24 },
  });
  let offset = 0;
  for (const frame of frames) {
    await run.write(frame, { offset });
    offset += frame.length;
  }
  assert.deepEqual(await way.reached(), [run.pid]);
  await first.close();

  await using second = await adopt(join(dir, 'state'));
  const adopted = await second.supervisor.attach(run.runId);
  await adopted.write(Buffer.concat(frames), { offset: 0 });
  way.release();
  let said = '';
  for await (const event of adopted.output()) {
    if (event.kind !== 'output') continue;
    said += Buffer.from(event.bytes).toString();
    if (said.includes('end_turn')) break;
  }
  await adopted.end();
  const { reason, code } = await adopted.wait();
  assert.deepEqual([reason, code], ['exit', 0]);
  const messages = said
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  assert.equal(textOf(messages), 'hello');
  assert.deepEqual(readTrace(trace)[0]?.lines, expectedLines(frames));
});

async function adopt(stateDir: string) {
  const supervisor = await createSupervisor({ stateDir });
  return { supervisor, [Symbol.asyncDispose]: () => supervisor.close() };
}
