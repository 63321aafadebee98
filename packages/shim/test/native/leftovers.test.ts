/*
 * What a command leaves behind (T4): programs that are known for it, under each of the three policies. The root's
 * code always stands, and a shim never goes while somebody lives.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftoversPolicy, SpawnRequest } from '../../src/index.ts';
import { isAlive } from '../process-rig.ts';
import { nativeTest, type Rig } from './rig.ts';
import type { Run } from './run.ts';

interface Leaver {
  readonly name: string;
  readonly program: string;
  script(rig: Rig): string;
  /* There once the leftover is up; the root waits for it. */
  sign(rig: Rig): string;
}

const leavers: readonly Leaver[] = [
  {
    name: 'ssh-agent',
    program: 'ssh-agent',
    script: (rig) => `ssh-agent -a ${rig.dir}/agent`,
    sign: (rig) => join(rig.dir, 'agent'),
  },
  {
    name: 'tmux new -d',
    program: 'tmux',
    script: (rig) => `TMUX_TMPDIR=${rig.dir} tmux -f /dev/null -L own new -d 'sleep 600'`,
    sign: (rig) => rig.dir,
  },
  {
    name: 'a collector of garbage that goes into the background, as git’s does',
    program: 'setsid',
    script: (rig) =>
      `(setsid sh -c "echo > ${rig.dir}/gc; exec sleep 600" </dev/null >/dev/null 2>&1 &); ` +
      `while [ ! -e ${rig.dir}/gc ]; do sleep 0.01; done`,
    sign: (rig) => join(rig.dir, 'gc'),
  },
];

async function leave(rig: Rig, leaver: Leaver, leftovers: LeftoversPolicy): Promise<Run> {
  const change: Partial<SpawnRequest> = { leftovers, graceMs: 2_000, cwd: rig.dir };
  const run = await rig.sh(`${leaver.script(rig)} && exit 9`, change);
  await run.started();
  return run;
}

for (const leaver of leavers) {
  const needs = { programs: [leaver.program] };

  nativeTest(
    `T4: ${leaver.name} under policy fail: an escape, and everything ends`,
    async (rig) => {
      const run = await leave(rig, leaver, 'fail');
      const { exit, end } = await run.ended();
      assert.deepEqual([exit.code, exit.reason], [9, 'exit']);
      assert.ok(exit.leftovers.length > 0);
      assert.deepEqual([end.reason, end.actor], ['ownership-escape', 'leftovers-policy']);
      assert.ok(end.killed.pid > 0);
      assert.ok(existsSync(leaver.sign(rig)) || leaver.name === 'ssh-agent');
    },
    needs,
  );

  nativeTest(
    `T4: ${leaver.name} under policy end: no escape, and everything ends`,
    async (rig) => {
      const run = await leave(rig, leaver, 'end');
      const { exit, end } = await run.ended();
      assert.deepEqual([exit.code, exit.reason, end.reason], [9, 'exit', 'exit']);
      assert.ok(end.killed.pid > 0);
    },
    needs,
  );

  nativeTest(
    `T4: ${leaver.name} under policy keep: it lives until the run is ended`,
    async (rig) => {
      const run = await leave(rig, leaver, 'keep');
      const { exit } = await run.exited();
      assert.deepEqual([exit.code, exit.reason], [9, 'exit']);
      const [first] = exit.leftovers;
      assert.ok(first !== undefined && isAlive(first.pid));
      const control = await rig.control(run);
      assert.equal(control.hello.state, 'exited');
      const ask = { type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' } as const;
      await control.request(ask);
      const { end } = await run.ended();
      assert.deepEqual([end.reason, end.actor], ['manual-cancel', 'me']);
      assert.equal(isAlive(first.pid), false);
    },
    needs,
  );
}

nativeTest('T4: a kept leftover is still heard, and its end is the end of the run', async (rig) => {
  const script =
    'setsid sh -c "while [ ! -e go ]; do sleep 0.01; done; echo later; echo err >&2" & exit 0';
  const run = await rig.sh(`cd ${rig.dir}; ${script}`, { leftovers: 'keep' });
  await run.exited();
  assert.equal((await run.output()).length, 0);
  rig.program('go', '');
  const { exit, end } = await run.ended();
  assert.deepEqual([exit.code, exit.reason, end.reason], [0, 'exit', 'exit']);
  assert.equal((await run.output('stdout')).toString(), 'later\n');
  assert.equal((await run.output('stderr')).toString(), 'err\n');
  const kinds = (await run.entries()).map((entry) => entry.kind);
  assert.ok(kinds.indexOf('exit') < kinds.indexOf('output'));
  assert.equal(kinds.at(-1), 'end');
});

nativeTest(
  'T4: a kept leftover that floods does not hold back the record of the exit',
  async (rig) => {
    const run = await rig.sh('setsid yes & exit 3', {
      leftovers: 'keep',
      journal: { mode: 'ring', bytesMax: 8 << 20, segmentBytes: 1 << 20 },
    });
    const { exit } = await run.exited();
    assert.equal(exit.code, 3);
  },
);

/* A helper has a tenth of a second, which a starved machine may not give it: then that round says nothing. */
const roundsMax = 50;

nativeTest('T4: a helper on its way out is no leftover', async (rig) => {
  let reason = '';
  for (let round = 0; round < roundsMax && reason !== 'exit'; round += 1) {
    const run = await rig.sh('sleep 0.02 & (sleep 0.01; true) & exit 0', { leftovers: 'fail' });
    const { exit, end } = await run.ended();
    reason = end.reason;
    assert.equal(exit.leftovers.length === 0, reason === 'exit');
  }
  assert.equal(reason, 'exit');
});

nativeTest(
  'T4: a policy that changes while leftovers are kept does not end them by itself',
  async (rig) => {
    const run = await rig.sh('setsid sleep 600 & exit 0', { leftovers: 'fail' });
    const started = await run.started();
    const control = await rig.control(run);
    await control.request({ type: 'policy', epoch: 1, ownerLoss: 'adopt', leftovers: 'keep' });
    await run.exited();
    await control.request({ type: 'policy', epoch: 1, ownerLoss: 'adopt', leftovers: 'end' });
    assert.equal((await rig.control(run)).hello.state, 'exited');
    assert.ok(isAlive(started.shimPid));
  },
);

nativeTest(
  'T4: a leftover that is dead but unreaped by its parent is nobody’s leftover',
  async (rig) => {
    /* The zombie's parent lives; it is the only one to be listed. */
    const parent = 'setsid sh -c "true & exec sleep 600"';
    const run = await rig.sh(`${parent} & sleep 0.1; exit 0`, { leftovers: 'keep' });
    const { exit } = await run.exited();
    assert.deepEqual(
      exit.leftovers.map((process_) => process_.comm),
      ['sleep'],
    );
  },
);
