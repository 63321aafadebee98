/*
 * Runs that the kernel confines to a part of the file system, through both launchers.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Confinement, readConfinementSupport, shimBinaryPath } from '../../src/index.ts';
import { bytesOf, createRig } from './rig.ts';

const { landlock, why } = await readConfinementSupport(shimBinaryPath());
const skip = landlock === 0 && `no Landlock here: ${why}`;

const system: Confinement = {
  grants: ['/usr', '/bin', '/lib', '/lib64', '/etc/ld.so.cache'].map((path) => {
    return { path, access: 'execute', isOptional: true } as const;
  }),
};

for (const launcher of ['spawnd', 'direct'] as const) {
  test(`${launcher}: a confined run reads what it was granted; S1: asked for again it is the same run`, {
    skip,
  }, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor({ launcher });
    const path = join(rig.scratchDir, 'file');
    writeFileSync(path, 'canary\n');
    const granted = { path: rig.scratchDir, access: 'read', isOptional: false } as const;
    const open = { confine: { grants: [...system.grants, granted] } };
    const reading = await supervisor.spawn(rig.sh(`exec 2>&1; cat ${path}`, open));
    assert.equal((await bytesOf(reading.output())).toString(), 'canary\n');

    const closed = {
      ...rig.sh(`exec 2>&1; read _; cat ${path}`, { confine: system }),
      runId: 'once',
    };
    const refused = await supervisor.spawn(closed);
    const again = await supervisor.spawn({ ...rig.sh(`cat ${path}`), runId: 'once' });
    assert.equal(again.pid, refused.pid);
    await again.write('\n');
    assert.match((await bytesOf(refused.output())).toString(), /^cat: .*: Permission denied\n$/);
    assert.equal((await refused.wait()).code, 1);
  });
}

test('a run that cannot be confined as asked fails with the stage, and its record says so', {
  skip,
}, async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const gone = { path: join(rig.scratchDir, 'gone'), access: 'read', isOptional: false } as const;
  const input = { ...rig.sh('echo ran', { confine: { grants: [gone] } }), runId: 'never' };
  await assert.rejects(supervisor.spawn(input), (error: { detail?: object }) => {
    assert.deepEqual(error.detail, { runId: 'never', stage: 'confine', errno: 2 });
    return true;
  });
  const [record] = supervisor.list();
  assert.deepEqual(
    [record?.exit?.reason, record?.exit?.failure?.stage],
    ['spawn-error', 'confine'],
  );
});
