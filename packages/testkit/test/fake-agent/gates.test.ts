/*
 * Gates work between processes that know nothing of each other but a directory, whoever comes first.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fakeAgentCommand, gate, openGate, say, script, writeScript } from '@clawdfather/testkit';
import { driveAgent, temporaryDirectory, textOf } from './drive-agent.ts';

const options = { timeout: 60_000 };

test('a gate that was released before is no obstacle', options, async (t) => {
  const agent = driveAgent(t, { script: script([gate('first'), gate('a'), say('through')]) });
  await agent.gate('first').reached();
  agent.gate('a').release();
  agent.gate('first').release();
  assert.equal(textOf([await agent.next()]), 'through');
});

test('several agents stand at one gate, and outlive their starter there', options, async (t) => {
  const dir = temporaryDirectory(t);
  const gates = join(dir, 'gates');
  const way = openGate(gates, 'a');
  const file = writeScript(join(dir, 'script'), script([gate('a'), say('through')], { gates }));
  /* The shell is gone at once, and Node closes its input then; so the agents have another, open as long as the test says. */
  const inputPath = join(dir, 'input');
  execFileSync('mkfifo', [inputPath]);
  const input = openSync(inputPath, 'r+');
  const line = '"$@" < "$0" & "$@" < "$0" & exit 0';
  const command = fakeAgentCommand({ script: file });
  const starter = spawn('sh', ['-c', line, inputPath, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = text(starter.stdout);
  await once(starter, 'exit');
  const arrived = await way.reached(2);
  assert.equal(new Set(arrived).size, 2);
  assert.ok(!arrived.includes(starter.pid as number));
  way.release();
  closeSync(input);
  /* Its end is the end of both, as they held it. */
  assert.equal((await said).match(/through/g)?.length, 2);
  assert.deepEqual(readdirSync(gates).toSorted(), ['a.open', 'a.reached']);
});

test('whoever waits for an arrival can stop waiting', options, async (t) => {
  const stop = new AbortController();
  const arrival = openGate(temporaryDirectory(t), 'a').reached(1, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(arrival, /enough/);
});
