/*
 * J1: `logs` says on stderr that a journal was cut, deleted or altered, and exits 1; `doctor` names the run.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CliRig, createCliRig } from '../support/cli-process.ts';

const total = 300_000;

async function endedRun(rig: CliRig, name: string): Promise<string> {
  await rig.clf('run', '--name', name, '--', 'sh', '-c', `head -c ${total} /dev/zero`);
  const id = (await rig.clf('ps', '-a', '-q', '--filter', `name=${name}`)).stdout.trim();
  const runDir = join(rig.stateDir, 'runs', id);
  const [segment = ''] = readdirSync(runDir).filter((one) => one.startsWith('j-'));
  return join(runDir, segment);
}

function flip(path: string, place: number): void {
  const bytes = readFileSync(path);
  bytes[place]! ^= 0xff;
  writeFileSync(path, bytes);
}

test('logs shows what is left, says what is not, and exits 1', async (context) => {
  const rig = createCliRig(context);
  flip(await endedRun(rig, 'altered'), 100_000);
  truncateSync(await endedRun(rig, 'cut'), 100_000);
  await endedRun(rig, 'whole');

  const whole = await rig.clf('logs', 'whole');
  assert.deepEqual([whole.code, whole.stdout.length, whole.stderr], [0, total, '']);
  for (const follow of [[], ['-f']]) {
    const altered = await rig.clf('logs', ...follow, 'altered');
    assert.equal(altered.code, 1);
    assert.match(
      altered.stderr,
      /^clf: the journal is damaged here: \S+ of it were cut, deleted or altered on disk\n$/,
    );
    assert.ok(altered.stdout.length > 0 && altered.stdout.length < total);
    const cut = await rig.clf('logs', ...follow, 'cut');
    assert.equal(cut.code, 1);
    assert.match(
      cut.stderr,
      /^clf: the end is missing: \S+ of the journal were cut off or deleted\n$/,
    );
    assert.ok(cut.stdout.length > 0 && cut.stdout.length < total);
  }
  const { stdout } = await rig.clf('logs', '--json', 'altered');
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
  assert.equal(events.filter(({ type }) => type === 'damaged').length, 1);
});

test('doctor names damaged journals and the others as whole', async (context) => {
  const rig = createCliRig(context);
  await endedRun(rig, 'whole');
  assert.match((await rig.clf('doctor')).stdout, /journals: \d+ are whole/);
  const path = await endedRun(rig, 'altered');
  flip(path, 100_000);
  const { stdout } = await rig.clf('doctor');
  const id = path.split('/').at(-2)!.slice(0, 12);
  const line = stdout.replaceAll(/\n +/g, ' ');
  assert.match(
    line,
    new RegExp(
      `warn +journals: journals that were cut, deleted or altered on disk: ${id} \\(\\S+ damaged\\)`,
    ),
  );
});
