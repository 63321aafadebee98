/*
 * `clf drill --turn`: its gateways, its agent and its readers are real, and nothing of them stays, whichever way it ends.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { cliShapes } from '@clawdfather/protocol';
import { type CliProcess, createCliRig } from '../support/cli-process.ts';

const options = { timeout: 240_000 };
const clock = createSystemClock();

/* With a directory for temporary files of its own, so that all that is left there is the drill's. */
function createDrillRig(t: TestContext) {
  const rig = createCliRig(t);
  const temporary = join(rig.env['HOME'] ?? '', 't');
  mkdirSync(temporary);
  const start = (...args: string[]): CliProcess =>
    rig.start({ env: { TMPDIR: temporary } }, 'drill', ...args);
  return { rig, temporary, start };
}

/* Its directories, and every process that was started with them. */
function leftIn(temporary: string): readonly string[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readOrEmpty(`/proc/${pid}/environ`).includes(`=${temporary}`))
    .map((pid) => readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
  return [...readdirSync(temporary), ...processes];
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended while we looked.
    return '';
  }
}

async function untilNothingIsLeft(temporary: string): Promise<void> {
  const limitMs = clock.monotonicMs() + 60_000;
  while (leftIn(temporary).length > 0) {
    assert.ok(clock.monotonicMs() < limitMs, `left: ${leftIn(temporary).join('\n')}`);
    await clock.sleep(20);
  }
}

test('the receipt proves a turn through a kill -9, and nothing is left', options, async (t) => {
  const { rig, temporary, start } = createDrillRig(t);
  const { code, stdout, stderr } = await start('--turn', '--json').result;
  assert.equal(code, 0, stderr + stdout);
  const receipt = cliShapes['drill-receipt'].strict().parse(JSON.parse(stdout));
  assert.deepEqual([receipt.isProven, receipt.problems], [true, []]);
  assert.ok(receipt.bytesBeforeKill > 0 && receipt.bytesBeforeKill < receipt.bytes);
  assert.equal(new Set(receipt.gatewayPids).size, 2);
  assert.equal(stderr, '');
  // The directory goes before its last process is gone.
  await untilNothingIsLeft(temporary);
  assert.deepEqual(await rig.live(), [], 'the state directory of the person was not used');
});

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  test(`a drill that ends by ${signal} leaves nothing behind`, options, async (t) => {
    const { temporary, start } = createDrillRig(t);
    const drill = start('--turn');
    const spoke = Promise.withResolvers<void>();
    drill.child.stderr?.on('data', () => {
      if (drill.stderr().includes('a gateway of its own runs')) spoke.resolve();
    });
    await Promise.race([spoke.promise, drill.result]);
    assert.notDeepEqual(leftIn(temporary), []);
    drill.child.kill(signal);
    const result = await drill.result;
    assert.deepEqual([result.signal, result.stdout], [signal, '']);
    await untilNothingIsLeft(temporary);
  });
}

test('what is to be drilled has to be said', options, async (t) => {
  const { start } = createDrillRig(t);
  const { code, stderr } = await start().result;
  assert.equal(code, 125);
  assert.match(stderr, /say what to drill[^]*clf drill --turn/);
});
