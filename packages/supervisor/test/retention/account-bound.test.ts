/*
 * The bound of an account's output, with real runs: the oldest finished ones of that account go, and nothing else does.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSupervisor, type Supervisor } from '../../src/index.ts';
import { accountLabel, journalMaxLabel } from '../../src/origins.ts';
import { usualRetention } from '../../src/limits.ts';

function spawn(supervisor: Supervisor, account: string, argv: readonly [string, ...string[]]) {
  return supervisor.spawn({
    mode: 'child',
    argv,
    sessionId: 'test',
    backendId: 'exec',
    labels: { [accountLabel]: account, [journalMaxLabel]: '400000' },
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    overallTimeoutMs: undefined,
    journal: { mode: 'ring', bytesMax: 400_000 },
  });
}

async function said(supervisor: Supervisor, account: string): Promise<string> {
  const run = await spawn(supervisor, account, ['head', '-c', '100000', '/dev/zero']);
  await run.wait();
  return run.runId;
}

test('above the bound the oldest finished runs of that account go, living ones never', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'clf-bound-'));
  const accountBytesMax = (account: string) => (account === 'member' ? 650_000 : undefined);
  const retention = { ...usualRetention, accountBytesMax };
  const supervisor = await createSupervisor({ stateDir, retention });
  try {
    const owner = [await said(supervisor, 'owner'), await said(supervisor, 'owner')];
    const living = await spawn(supervisor, 'member', ['sleep', '600']);
    const member = [];
    for (let count = 0; count < 4; count += 1) member.push(await said(supervisor, 'member'));
    const report = await supervisor.gc();
    const removed = report.decisions.filter(({ decision }) => decision === 'remove');
    assert.deepEqual(
      removed.map(({ runId, evidence }) => [runId, evidence['rule'], evidence['limit']]),
      member.slice(0, 2).map((runId) => [runId, 'account-bytes', 650_000]),
    );
    const isThere = (runId: string): boolean => existsSync(join(stateDir, 'runs', runId));
    assert.deepEqual(member.map(isThere), [false, false, true, true]);
    assert.deepEqual([...owner, living.runId].map(isThere), [true, true, true]);
    await living.cancel('manual-cancel', 'test', 1);
    await living.waitTree();
  } finally {
    await supervisor.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
});
