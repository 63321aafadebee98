/*
 * Entries of the audit log as people read them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAuditEntry, happenedAt } from '../../src/render/audit-text.ts';

const entry = (action: string, detail: Readonly<Record<string, unknown>>) =>
  formatAuditEntry({ action, actor: 'token:t1', target: 'x1', detail });

test('what ran, who asked for it and what let it', () => {
  const ran = { who: 'ci', host: 'local', command: 'make\nall', via: 'mcp' };
  assert.equal(
    entry('run.start', { ...ran, allowed_by: 'allowlist: /usr/bin/make', rules: ['r1', 'r2'] }),
    String.raw`token:t1 (ci) over mcp → x1 $ make\nall; let by allowlist: /usr/bin/make (rule r1, r2)`,
  );
  const approved = { allowed_by: 'approval', approval: 'a1', decided_by: 'cli:ann' };
  assert.equal(
    entry('run.start', { host: 'box', command: 'make', ...approved }),
    'token:t1 → x1 $ make on box; let by approval a1 of cli:ann',
  );
  // As earlier versions wrote it, and as a token sees what a person ran.
  assert.equal(
    entry('run.start', { host: 'local' }),
    'token:t1 → x1 (command not shown); let by the policy',
  );
  assert.match(entry('run.start', { command: null, allowed_by: 'x' }), /\(command not shown\)/);
  assert.match(
    entry('run.denied', { ...ran, rule: 'security: deny' }),
    /; denied by security: deny$/,
  );
  assert.match(entry('run.held', { ...ran, approval: 'a1' }), /; waits for approval a1$/);
});

test('decisions, revocations, and whatever else there is', () => {
  const decided = { decision: 'deny', run_id: 'r1', command: 'rm x', asked_by: 'mcp:c' };
  assert.equal(
    entry('approval.decide', { ...decided, reason: 'no' }),
    'token:t1 → x1 deny "no": $ rm x (run r1, asked by mcp:c)',
  );
  assert.match(
    entry('approval.decide', { ...decided, programs: ['/bin/a', '/bin/b'] }),
    /; from then on unasked: \/bin\/a, \/bin\/b$/,
  );
  assert.equal(
    entry('approval.decide', { decision: 'deny', run_id: 'r1' }),
    'token:t1 → x1 deny: (command not shown) (run r1)',
  );
  const changed = { changed: 'x has changed', decided_by: 'cli:ann', command: 'sh x' };
  assert.equal(
    entry('approval.changed', { ...changed, asked_again_as: 'a2' }),
    'token:t1 → x1 x has changed, not started although cli:ann allowed it: $ sh x; asked again as a2',
  );
  assert.match(entry('approval.changed', changed), /: \$ sh x$/);
  assert.equal(
    entry('rule.revoke', { program: '/bin/a', made_by: 'cli:ann', made_at: 'then' }),
    'token:t1 → x1 /bin/a is asked about again (allowed by cli:ann at then)',
  );
  assert.equal(
    entry('token.create', { label: 'ci\u202e' }),
    String.raw`token:t1 → x1 label="ci\u202e"`,
  );
});

test('the time of what happened without the gateway is when it happened, not when it was written', () => {
  const at = '2026-01-05T12:00:00.000Z';
  const then = '2026-01-02T08:00:00.000Z';
  for (const name of ['decided_at', 'revoked_at', 'started_at']) {
    assert.equal(happenedAt({ at, detail: { [name]: then } }), then);
  }
  assert.equal(happenedAt({ at, detail: { started_at: null, made_at: then } }), at);
});
