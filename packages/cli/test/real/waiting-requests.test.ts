/*
 * Requests that wait: followed as they come, several decided at once, and told apart from runs that nobody knows.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { ask, decideAt, lines, skip } from '../support/asking-agent.ts';
import { createCliRig } from '../support/cli-process.ts';

test('a run that is held is no unknown one: what names it is told which approval it waits for', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const { approvalId, runId } = await ask(rig);
  const short = approvalId.slice(0, 12);
  for (const command of ['show', 'logs', 'kill', 'wait']) {
    const { code, stderr } = await rig.clf(command, runId.slice(0, 8));
    assert.equal(code, 125, command);
    assert.match(
      stderr,
      new RegExp(`run ${runId} waits for approval ${short}[^]*clf allow ${short}`),
    );
  }
  assert.match(
    (await rig.clf('ps')).stdout,
    /\nA request waits for your decision: clf approvals\n$/,
  );
  assert.doesNotMatch((await rig.clf('ps', '--filter', 'name=x')).stdout, /waits/);
  await decideAt(rig, 'deny', approvalId);
  assert.match((await rig.clf('logs', runId)).stderr, /will not start: approval \w+ is denied/);
  assert.doesNotMatch((await rig.clf('ps')).stdout, /waits/);
});

test('several are decided at once; a mistyped one changes nothing, and one that is over stops no other', {
  skip,
}, async (t) => {
  const rig = createCliRig(t);
  const [first, second, third] = [await ask(rig), await ask(rig), await ask(rig)];
  const ids = [first, second, third].map(({ approvalId }) => approvalId);
  const typo = await decideAt(rig, 'deny', ...ids, 'nothing');
  assert.match(typo.text, /no approval is called "nothing"/);
  assert.equal(lines((await rig.clf('approvals', '--json')).stdout).length, 3);
  assert.equal((await decideAt(rig, 'deny', first.approvalId)).code, 0);
  const allowed = await decideAt(rig, 'allow', ...ids);
  assert.equal(allowed.code, 125, allowed.text);
  assert.match(allowed.text, /is decided: denied by cli:/);
  for (const { runId, made } of [second, third]) {
    assert.match(allowed.text, new RegExp(`started ${runId}: touch`));
    assert.equal((await rig.clf('wait', runId)).code, 0);
    assert.ok(existsSync(made));
  }
});

test('-f shows what comes and how it ends, until it is left', { skip }, async (t) => {
  const rig = createCliRig(t);
  const first = await ask(rig);
  const text = rig.start({}, 'approvals', '-f');
  const json = rig.start({}, 'approvals', '-f', '--json');
  t.after(() => [text, json].map(({ child }) => child.kill('SIGKILL')));
  await Promise.all([text.saw(first.approvalId.slice(0, 12)), json.saw(first.approvalId)]);
  const second = await ask(rig);
  const id = second.approvalId.slice(0, 12);
  await text.saw(`clf allow ${id}, or clf deny ${id}\n`);
  assert.ok(text.stdout().includes(`  $ touch ${second.made}\n`));
  await json.saw(second.approvalId);
  await decideAt(rig, 'deny', '--reason', 'no', second.approvalId);
  await text.saw(`${id} denied by cli:`);
  await json.saw('"state":"denied"');
  // Also when it waits for a gateway in between.
  const third = await ask(rig, { account: '0123456789abcdef' });
  await Promise.all([text.saw(third.approvalId.slice(0, 12)), json.saw(third.approvalId)]);
  await decideAt(rig, 'allow', third.approvalId);
  await text.saw(`${third.approvalId.slice(0, 12)} allowed by cli:`);
  await json.saw('"state":"allowed"');
  await decideAt(rig, 'allow', first.approvalId);
  await text.saw(`started as run ${first.runId}\n`);
  await json.saw('"state":"started"');
  text.child.kill('SIGINT');
  json.child.kill('SIGINT');
  const [told1, told2] = [await text.result, await json.result];
  assert.deepEqual([told1.code, told2.code, told2.stderr], [0, 0, '']);
  assert.ok(told1.stderr.includes(`waiting for requests in ${rig.stateDir}; Ctrl-C leaves`));
  assert.deepEqual(
    lines(told2.stdout)
      .map((one) => [one['id'], one['state']])
      .slice(0, 5),
    [
      [first.approvalId, 'pending'],
      [second.approvalId, 'pending'],
      [second.approvalId, 'denied'],
      [third.approvalId, 'pending'],
      [third.approvalId, 'allowed'],
    ],
  );
});
