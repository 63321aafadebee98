/*
 * Invariants: every id is cited by a test, once the rule is switched on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkInvariantsCited, enforced, invariantIds, notYet } from '../rules/invariants-cited.ts';
import { formatFindings, readRepository, treeOf } from '../tree.ts';

const testPath = 'packages/supervisor/test/all.test.ts';
const testableIds = invariantIds.filter((id) => notYet[id] === undefined);

test('every invariant is cited by a test', (context) => {
  const findings = checkInvariantsCited(readRepository());
  if (enforced) assert.equal(findings.length, 0, formatFindings(findings));
  else if (findings.length > 0) {
    context.diagnostic(`not enforced yet, missing: ${findings.map(({ path }) => path).join(' ')}`);
  }
});

test('there are 41 invariants', () => {
  assert.equal(invariantIds.length, 41);
});

test('a missing id is found, and so is one that is cited outside tests', () => {
  const tree = treeOf({
    [testPath]: testableIds.filter((id) => id !== 'O5').join(' '),
    'packages/supervisor/src/a.ts': 'O5',
    'tools/tidy/test/a.test.ts': 'O5',
  });
  assert.deepEqual(
    checkInvariantsCited(tree).map(({ path }) => path),
    ['O5'],
  );
});

test('a full set of citations is accepted, the exemptions aside', () => {
  assert.deepEqual(checkInvariantsCited(treeOf({ [testPath]: testableIds.join(', ') })), []);
});

test('an exemption that has become needless is found', () => {
  const findings = checkInvariantsCited(treeOf({ [testPath]: invariantIds.join(' ') }));
  assert.deepEqual(
    findings.map(({ path }) => path),
    Object.keys(notYet),
  );
});

test('a longer word is not a citation', () => {
  const tree = treeOf({
    [testPath]: [...testableIds.filter((id) => id !== 'T1'), 'T10', 'AT1'].join(' '),
  });
  assert.deepEqual(
    checkInvariantsCited(tree).map(({ path }) => path),
    ['T1'],
  );
});
