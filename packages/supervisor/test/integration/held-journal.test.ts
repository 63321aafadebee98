/*
 * J3: a held journal keeps what its owner has not stored yet. At its cap the command waits; what is acknowledged may go,
 * and the command goes on. Nothing is lost and nothing is doubled, however slow the owner is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRig } from './rig.ts';

const total = 3_000_000;
/* Whatever waits in the pipe when the command is gone is its output, also when it made the pipe larger itself. */
const pipeMax = 1024 * 1024;
const writers = {
  'a command': `head -c ${total} /dev/zero | tr '\\0' x`,
  'a command that has a larger pipe': `exec perl -e 'fcntl(STDOUT, 1031, ${pipeMax}) or die; print "x" x ${total}'`,
};

for (const [writer, script] of Object.entries(writers)) {
  test(`J3: ${writer} is held at the cap until its owner has stored it, and every byte arrives once`, async (t) => {
    const rig = createRig(t);
    const supervisor = await rig.supervisor();
    const journal = { mode: 'hold', bytesMax: 512 * 1024 } as const;
    const run = await supervisor.spawn(rig.sh(script, { journal }));

    /* The shim says that it waits before anything was acknowledged. */
    await rig.events.until('blocked', ({ isBlocked }) => isBlocked);
    assert.equal(supervisor.get(run.runId)?.state, 'running');

    let bytes = 0;
    for await (const event of run.output()) {
      assert.notEqual(event.kind, 'gap');
      if (event.kind !== 'output') continue;
      bytes += event.bytes.length;
      await run.acknowledge(event.cursor);
    }
    assert.equal(bytes, total);
    assert.equal((await run.wait()).code, 0);
  });
}

test('J3, O4: only the owner lets go of held output', async (t) => {
  const rig = createRig(t);
  const owner = await rig.supervisor();
  const other = await rig.supervisor({ launcher: 'direct' });
  const run = await owner.spawn(
    rig.sh('read _', { journal: { mode: 'hold', bytesMax: 512 * 1024 } }),
  );
  const foreign = await other.attach(run.runId);
  await assert.rejects(foreign.acknowledge(run.snapshot().exit?.cursor ?? ('0.0' as never)), {
    code: 'not-owner',
  });
  await run.end();
  await run.wait();
});
