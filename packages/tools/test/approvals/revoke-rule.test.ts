/*
 * What was allowed for ever is taken back: by a person, once, and from the next command on.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { openApprovals } from '@clawdfather/supervisor';
import { revokeRule } from '../../src/approvals/revoke-rule.ts';
import { type ApprovalsRig, openApprovalsRig, person, proposalOf } from './approvals-rig.ts';

const clock = createSystemClock();

async function openWithRule(t: TestContext): Promise<ApprovalsRig & { readonly ruleId: string }> {
  const rig = await openApprovalsRig(t);
  const outcome = await rig.decide(await rig.ask(), { decision: 'allow-always' });
  assert.ok(outcome.kind === 'decided');
  const [rule] = outcome.rules;
  assert.equal(rule?.namedPath, '/usr/bin/touch');
  return { ...rig, ruleId: rule.ruleId };
}

test('a command says which rules let it start; after the revocation it is asked about, at once', async (t) => {
  const { gatekeeper, store, stateDir, ruleId } = await openWithRule(t);
  const allowed = await gatekeeper.check(proposalOf({ runId: 'run-2' }));
  assert.ok(allowed.kind === 'allowed');
  assert.deepEqual([allowed.rule, allowed.rules], ['allowlist: /usr/bin/touch', [ruleId]]);
  // In another process, as far as the database can tell.
  const other = await openApprovals({ stateDir });
  const revoked = await revokeRule(
    { store: other, clock },
    { ruleId, by: 'cli:bob', decider: person },
  );
  await other.close();
  assert.ok(revoked.kind === 'revoked');
  assert.deepEqual([revoked.rule.revokedBy, revoked.rule.addedBy], ['cli:bob', 'cli:ann']);
  assert.equal((await gatekeeper.check(proposalOf({ runId: 'run-3' }))).kind, 'held');
  const again = await revokeRule({ store, clock }, { ruleId, by: 'cli:eve', decider: person });
  assert.ok(again.kind === 'over');
  assert.equal(again.rule.revokedBy, 'cli:bob');
  const unknown = { ruleId: 'nobody-knows', by: 'cli:eve', decider: person };
  assert.equal((await revokeRule({ store, clock }, unknown)).kind, 'unknown');
});

test('WD1, WD3: whoever may not decide may not revoke', async (t) => {
  const { gatekeeper, store, ruleId } = await openWithRule(t);
  const decider = { ...person, isAtTerminal: false };
  const refused = await revokeRule({ store, clock }, { ruleId, by: 'cli:eve', decider });
  assert.ok(refused.kind === 'refused');
  assert.match(refused.why, /no terminal/);
  assert.equal((await gatekeeper.check(proposalOf({ runId: 'run-2' }))).kind, 'allowed');
});
