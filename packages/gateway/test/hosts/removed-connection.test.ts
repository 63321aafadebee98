/*
 * A connection that is removed takes what was on its list along: a command that was lost with its connection, and could not be ended.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { sshdSkip } from '@clawdfather/testkit';
import { sleepsFor, sleepWord, startOn, untilTrue, withHost } from './host-world.ts';
import { killMasters } from './master-processes.ts';

const skip = sshdSkip;

test('nothing on the list outlives its connection', { skip }, (t) =>
  withHost(t, async ({ ask, rig, connectionId }) => {
    const { stateDir } = rig.config;
    const leases = join(stateDir, 'host-commands');
    const word = sleepWord();
    const runId = await startOn(ask, { command: `exec sleep ${word}` });
    await untilTrue(() => sleepsFor(word) === 1);
    await killMasters(stateDir);
    await untilTrue(
      async () => (await ask('GET', 'sessions?status=active')).body.items.length === 0,
    );
    const kept = await readdir(join(leases, connectionId));
    assert.ok(kept.includes(`${runId}.lease`), 'it may still run there');
    // Of a connection whose removal was cut off.
    const gone = createSystemRandom().id();
    mkdirSync(join(leases, gone), { recursive: true });
    writeFileSync(join(leases, gone, 'x.lease'), '{}');
    const removed = await ask('DELETE', `connections/${connectionId}`);
    assert.equal(removed.status, 204, JSON.stringify(removed.body));
    assert.deepEqual(await readdir(leases), []);
    assert.deepEqual(await readdir(join(stateDir, 'host-crowds')), []);
  }),
);
