/*
 * I1 over HTTP: input at an offset arrives once, however often it is sent and whoever dies.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSupervisor } from '@clawdfather/supervisor';
import { createFakeClock } from '@clawdfather/testkit';
import { giveInput } from '../../src/runs/give-input.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { makeTemporary } from '../fixtures/temporary.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';

test('I1: what is sent again at its offset is not doubled, and a hole is refused with where it is', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const runId = await me.start({ command: 'cat', stdin: 'zero\n' });
  const give = (body: object) => me.post(`/api/v1/runs/${runId}/input`, body);
  // What was given at the start is the beginning of the input.
  const one = { offset: 5, data: 'one\n' };
  for (let times = 0; times < 3; times += 1) {
    const { status, body } = await give(one);
    assert.equal(status, 200);
    assert.deepEqual([body.bytes, body.inputOffset, body.isDelivered], [4, 9, true]);
  }
  assert.equal((await give({ offset: 7, data: 'e\ntwo\n' })).body.inputOffset, 13);
  const hole = await give({ offset: 20, data: 'x' });
  assert.deepEqual([hole.status, hole.body.error.code], [409, 'gap']);
  assert.equal(hole.body.error.detail.expected, 13);
  assert.equal((await me.get(`/api/v1/runs/${runId}`)).body.inputOffset, 13);
  const bytes = Buffer.from([0xff, 0x00, 0x0a]);
  const last = { offset: 13, data: bytes.toString('base64'), encoding: 'base64', eof: true };
  assert.equal((await give(last)).body.isEof, true);
  await me.untilEnded(runId);
  assert.equal((await give({ ...last, eof: false })).status, 200, 'known before, so still known');
  const late = await give({ offset: 16, data: 'late' });
  assert.deepEqual([late.status, late.body.error.code], [409, 'not_running']);
  const { body } = await me.get(`/api/v1/runs/${runId}/output?encoding=base64`);
  const expected = Buffer.concat([Buffer.from('zero\none\ntwo\n'), bytes]);
  assert.equal(body.text, expected.toString('base64'));
  for (const wrong of [{}, { data: '%%', encoding: 'base64' }, { offset: -1, data: 'x' }]) {
    assert.equal((await give(wrong)).body.error.code, 'validation_error');
  }
});

test('I1: a client that hangs up before the answer sends again, and it arrives once', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const runId = await me.start({ command: 'exec cat' });
  await using events = await me.events(`/api/v1/runs/${runId}/output`);
  const { hostname, port } = new URL(rig.url);
  let expected = '';
  for (let round = 0; round < 20; round += 1) {
    const data = `line ${round}\n`;
    const body = JSON.stringify({ offset: expected.length, data });
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.end(
      `POST /api/v1/runs/${runId}/input HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${rig.owner.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    // Sometimes it is heard and sometimes not; the sender cannot know.
    socket.destroySoon();
    const again = await me.post(`/api/v1/runs/${runId}/input`, JSON.parse(body));
    assert.equal(again.status, 200, JSON.stringify(again.body));
    expected += data;
  }
  await me.post(`/api/v1/runs/${runId}/input`, { eof: true });
  assert.equal(await events.untilSaid('never'), expected);
});

test('I1: input survives a killed gateway, and the next one does not give it twice', async () => {
  await using directory = await makeTemporary();
  let runId: string;
  {
    await using gateway = await startGatewayProcess(directory.path);
    runId = await gateway.me.start({ command: 'exec cat' });
    const path = `/api/v1/runs/${runId}/input`;
    await gateway.me.post(path, { offset: 0, data: 'one\n' });
    const lost = gateway.me.post(path, { offset: 4, data: 'two\n' }).catch(() => 'lost');
    await gateway.end('SIGKILL');
    await lost;
  }
  await using gateway = await startGatewayProcess(directory.path);
  const path = `/api/v1/runs/${runId}/input`;
  // Whatever was heard of it, it is all said again.
  await gateway.me.post(path, { offset: 0, data: 'one\ntwo\n' });
  await gateway.me.post(path, { offset: 8, data: 'three\n', eof: true });
  await gateway.me.untilEnded(runId);
  assert.equal(await gateway.me.outputOf(runId), 'one\ntwo\nthree\n');
});

test('a program that does not read is answered for after ten seconds; what was sent waits for it', async () => {
  await using directory = await makeTemporary();
  const clock = createFakeClock();
  const supervisor = await createSupervisor({ stateDir: join(directory.path, 'state') });
  const run = await supervisor.spawn({
    mode: 'child',
    argv: ['/bin/sh', '-c', 'mkfifo go; echo made; read -r _ <go; exec wc -c'],
    sessionId: 's',
    backendId: 'exec',
    cwd: directory.path,
    env: { PATH: '/usr/bin:/bin' },
    overallTimeoutMs: undefined,
  });
  for await (const event of run.output()) if (event.kind === 'output') break;
  const give = (offset: number, eof = false) => {
    const body = { offset, data: 'x'.repeat(400_000), encoding: 'text' as const, eof };
    return giveInput({ supervisor, clock }, run.snapshot(), body);
  };
  const blocked = give(0, true);
  while (supervisor.inputOffset(run.runId) === 0) await setImmediate();
  await clock.advance(10_000);
  const { isDelivered, isEof, inputOffset } = await blocked;
  assert.deepEqual(
    { isDelivered, isEof, inputOffset },
    { isDelivered: false, isEof: false, inputOffset: 400_000 },
  );
  writeFileSync(join(directory.path, 'go'), 'go\n');
  // The end alone waits for what was kept before it.
  const end = { data: '', encoding: 'text', eof: true, offset: undefined } as const;
  const again = await giveInput({ supervisor, clock }, run.snapshot(), end);
  assert.deepEqual([again.isDelivered, again.isEof], [true, true]);
  await run.wait();
  const said = await Array.fromAsync(run.output(), (event) =>
    event.kind === 'output' ? Buffer.from(event.bytes).toString() : '',
  );
  assert.equal(said.join(''), 'made\n400000\n');
  await supervisor.close();
});
