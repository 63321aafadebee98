/*
 * Rules for people: which one is meant, and a warning that no terminal is too narrow for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRule, formatRules, type Rule } from '../../src/approvals/rule.ts';
import { createPaint } from '../../src/render/paint.ts';

function ruleOf(id: string, program: string, parts: Partial<Rule> = {}): Rule {
  return {
    id,
    program,
    file: program,
    runsAnything: false,
    account: 'local',
    approvalId: '7q3m0c5vd2k1aaaa',
    addedBy: 'cli:ann',
    addedAt: '2026-01-01T00:00:00.000Z',
    uses: 12,
    lastUsedAt: '2026-01-01T00:00:00.000Z',
    revokedBy: null,
    revokedAt: null,
    ...parts,
  };
}

const format = (rules: readonly Rule[], columnsMax: number): string =>
  formatRules(rules, {
    paint: createPaint(false),
    nowMs: Date.parse('2026-01-03T00:00:00.000Z'),
    ownAccounts: ['local', 'cli'],
    columnsMax,
  });

test('a rule that allows everything says so on 80 columns and on fewer', () => {
  const npm = ruleOf('av4eed8j82hbefcn', '/usr/bin/npm', { runsAnything: true });
  assert.match(format([npm], 80), /\/usr\/bin\/npm \(it can run anything\)\n$/);
  const deep = { ...npm, program: `/opt/${'deep/'.repeat(20)}npm` };
  assert.match(format([deep], 80), /\nit can run anything: av4eed8j82hb\n$/);
  assert.match(format([npm], 40), /it can run anything/);
  assert.doesNotMatch(format([ruleOf('x', '/usr/bin/touch')], 80), /anything/);
});

test('what a person let themselves do is told apart', () => {
  const own = ruleOf('x', '/usr/bin/touch', { account: 'cli' });
  assert.match(format([own], 200), /touch \(for your own clf exec\)/);
});

test('a rule is named by its id, its program or the path of it', () => {
  const rules = [
    ruleOf('aaa1', '/usr/bin/touch'),
    ruleOf('bbb2', '/usr/bin/make'),
    ruleOf('ccc3', '/opt/bin/make'),
    ruleOf('ddd4', '/usr/bin/npm', { revokedAt: '2026-01-02T00:00:00.000Z' }),
  ];
  const idOf = (typed: string): string => findRule(rules, typed, '').id;
  assert.deepEqual(
    [idOf('a'), idOf('touch'), idOf('/usr/bin/make'), idOf('ddd')],
    ['aaa1', 'aaa1', 'bbb2', 'ddd4'],
  );
  assert.throws(() => idOf('make'), { code: 'rule-ambiguous', hint: /bbb2, ccc3/ });
  assert.throws(() => idOf('npm'), { code: 'rule-not-found' });
});
