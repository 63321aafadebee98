/*
 * What was approved is what runs, on the command line: what a person sees of it, and what happens when a file has changed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { ask, decideAt, lines, skip } from '../support/asking-agent.ts';
import { createCliRig } from '../support/cli-process.ts';

test('A6: allowing a script that changed starts nothing and asks again, in plain words; then it starts', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const file = join(rig.stateDir, 'script.sh');
  const written = join(rig.stateDir, 'written');
  await rig.clf('ps');
  const content = `echo first >> ${written}\n`;
  writeFileSync(file, content);
  const { approvalId, runId } = await ask(rig, { command: `sh ${file} >> ${written}` });
  const listed = await rig.clf('approvals');
  assert.match(listed.stdout, /bound to its directory and the content of \d+ files?/);
  const [json] = lines((await rig.clf('approvals', '--json')).stdout);
  const shown = cliShapes.approval.parse(json);
  const bound = shown.bound?.files.find(({ path }) => path === file);
  const sha256 = createHash('sha256').update(content).digest('hex');
  assert.deepEqual(bound, { path: file, bytes: content.length, sha256 });
  assert.deepEqual([shown.changed, shown.askedAgainAs], [null, null]);

  writeFileSync(file, `echo second >> ${written}\n`);
  const allowed = await decideAt(rig, 'allow', approvalId);
  assert.equal(allowed.code, 125, allowed.text);
  const all = lines((await rig.clf('approvals', '-a', '--json')).stdout);
  const [old, next] = all.map((one) => cliShapes.approval.parse(one));
  assert.deepEqual([old?.state, old?.changed], ['changed', 'script.sh has changed']);
  assert.deepEqual([next?.state, old?.askedAgainAs], ['pending', next?.id]);
  assert.match(
    allowed.text,
    new RegExp(
      `nothing was started: script.sh has changed since it was asked for; asked again as ${next?.id}[^]*approval-changed`,
    ),
  );
  assert.match(
    (await rig.clf('approvals', '-a')).stdout,
    /allowed by cli:.*, not started: script.sh has changed since it was asked for; asked again as/,
  );
  assert.match((await rig.clf('approvals')).stdout, /asked about because script.sh has changed/);
  assert.ok(!existsSync(written));
  const again = await decideAt(rig, 'allow', approvalId);
  assert.match(again.text, /is decided: allowed by cli:.*asked again as/);
  assert.notEqual(next?.runId, runId);
  const gone = await rig.clf('logs', runId);
  assert.equal(gone.code, 125);
  assert.match(
    gone.stderr,
    new RegExp(
      `run ${runId} will not start: script.sh has changed since it was asked for; asked again as ${next?.id}[^]*clf approvals -a`,
    ),
  );

  const second = await decideAt(rig, 'allow', next?.id ?? '');
  assert.equal(second.code, 0, second.text);
  assert.equal((await rig.clf('wait', next?.runId ?? '')).code, 0);
  assert.equal(readFileSync(written, 'utf8'), 'second\n');
});
