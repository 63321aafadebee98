/*
 * WD2: inside a run nobody decides, also a run that another state directory knows about. WD4: nor does what asked.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createSupervisor, readLineage } from '@clawdfather/supervisor';
import { whyMayNotDecide } from '../../src/approvals/who-decides.ts';
import { openApprovalsRig } from './approvals-rig.ts';

const nobodysShims = { runOfShim: () => undefined };
const approval = { requesterMarks: '[]', requester: 'mcp:x' };

test('WD2: a shim is known by the name it gives itself', async (t) => {
  const stateDir = mkdtempSync(join(tmpdir(), 'clf-who-'));
  t.after(() => rmSync(stateDir, { recursive: true }));
  for (const launcher of ['spawnd', 'direct'] as const) {
    const supervisor = await createSupervisor({ stateDir, launcher, clock: createSystemClock() });
    try {
      const run = await supervisor.spawn({
        mode: 'child',
        argv: ['/bin/sleep', '600'],
        sessionId: 's',
        backendId: 'b',
        cwd: '/',
        env: {},
        overallTimeoutMs: undefined,
      });
      const inside = { lineage: readLineage(run.pid), isAtTerminal: true };
      assert.match(whyMayNotDecide(nobodysShims, approval, inside) ?? '', /inside a run/);
      await run.cancel();
      await run.wait();
    } finally {
      await supervisor.close();
    }
  }
});

test('WD4: a token that asked does not decide, another one and a person do', async (t) => {
  const rig = await openApprovalsRig(t);
  const approvalId = await rig.ask({ credential: 'token:a' });
  const by = (credential: string) =>
    rig.decide(approvalId, { by: credential, decider: { credential } });
  const refused = await by('token:a');
  assert.ok(refused.kind === 'refused', refused.kind);
  assert.match(refused.why, /token:a/);
  assert.equal(rig.gatekeeper.approval(approvalId)?.state, 'pending');
  assert.equal((await by('device:b')).kind, 'decided');
});
