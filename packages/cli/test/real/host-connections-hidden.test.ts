/*
 * What connects a gateway to an SSH host is a run of its machine, and in no list there unless it is asked for: neither one that lives
 * nor one that a failed test has left.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { addWeb, openRealHost } from '../support/real-host.ts';

test('connections to hosts are listed only where they are asked for', {
  timeout: 120_000,
  skip: sshdSkip,
}, async (context) => {
  const host = await openRealHost(context);
  const { rig, sshd } = host;
  await addWeb(host);
  const done = await rig.clf('run', '--host', 'web', '--', 'sh', '-c', 'exit 3');
  assert.equal(done.code, 3, done.stderr);
  sshd.authorizeNone();
  assert.equal((await rig.clf('host', 'test', 'web')).code, 1);
  const shown = async (...args: string[]): Promise<readonly Record<string, unknown>[]> => {
    const { code, stdout, stderr } = await rig.clf(...args, '--json');
    assert.equal(code, 0, stderr);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  for (const gateway of ['local', new URL(host.url).href]) {
    assert.deepEqual(await shown('ps', '-g', gateway), [], gateway);
    const all = await shown('ps', '-a', '-g', gateway);
    assert.deepEqual(
      all.map(({ backendId, exit }) => [backendId, (exit as { code: number }).code]),
      [['exec', 3]],
      gateway,
    );
    const [table] = await shown('top', '--once', '-g', gateway);
    assert.deepEqual(table?.['runs'], [], gateway);
    assert.equal((table['ended'] as readonly unknown[]).length, 1, gateway);
  }
  const [live, ...others] = await shown('ps', '-g', 'local', '-f', 'backend=ssh');
  assert.equal(others.length, 0);
  assert.equal(live?.['backendId'], 'ssh');
  const connections = await shown('ps', '-a', '-g', 'local', '-f', 'backend=ssh');
  assert.ok(connections.length >= 2, 'also those that ended');
  const named = await shown('show', '-g', 'local', String(live?.['runId'] ?? live?.['id']));
  assert.equal(named[0]?.['backendId'], 'ssh');
});
