/*
 * The two things that every rule's test says: the repository obeys the rule,
 * and the rule can fail.
 */
import assert from 'node:assert/strict';
import { type Finding, formatFindings, readRepository, type Tree, treeOf } from '../tree.ts';

type Rule = (tree: Tree) => readonly Finding[];

export function assertObeyed(rule: Rule): void {
  const findings = rule(readRepository());
  assert.equal(findings.length, 0, formatFindings(findings));
}

/* Exactly one finding for each pattern, in any order. */
export function assertRefused(
  rule: Rule,
  files: Readonly<Record<string, string>>,
  patterns: readonly RegExp[],
): void {
  const texts = rule(treeOf(files)).map(({ path, message }) => `${path}: ${message}`);
  for (const pattern of patterns) {
    assert.ok(
      texts.some((text) => pattern.test(text)),
      `no finding matches ${pattern}:\n${texts.join('\n')}`,
    );
  }
  assert.equal(texts.length, patterns.length, texts.join('\n'));
}

export function assertAccepted(rule: Rule, files: Readonly<Record<string, string>>): void {
  assertRefused(rule, files, []);
}
