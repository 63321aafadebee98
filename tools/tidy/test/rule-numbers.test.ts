/*
 * Numbers of rules: declared once, and declared at all where they are cited.
 */
import { test } from 'node:test';
import { checkRuleNumbers } from '../rules/rule-numbers.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

const list = {
  'docs/invariants.md': '- **O1** A run has one owner.\n- **O2** It is one process.\n',
};

test('the numbers of rules are unique in the repository, and those that are cited exist', () => {
  assertObeyed(checkRuleNumbers);
});

test('a number that is declared twice is refused, in documents, headers and tables', () => {
  assertRefused(
    checkRuleNumbers,
    {
      ...list,
      'docs/store.md': '|  | promise |\n| --- | --- |\n| O1  | writes are serial |\n',
      'packages/a/src/a.ts': '/*\n * What it does.\n *\n *   O2 The second meaning.\n */\n',
      'packages/a/src/b.ts': '// X1 First.\n// X1 `code` comes first here.\n',
    },
    [
      /store\.md: line 3 declares O1, which docs\/invariants\.md declares in line 1/,
      /a\.ts: line 4 declares O2/,
      /b\.ts: line 2 declares X1/,
    ],
  );
});

test('a number that is cited and declared nowhere is refused, wherever people read it', () => {
  assertRefused(
    checkRuleNumbers,
    {
      ...list,
      'docs/a.md': 'It is kept (O3).\n',
      'packages/a/src/a.ts': 'const a = 1; // O4: why\n',
      'packages/a/native/b.c': '/* O1 to O5 */\n',
      'packages/a/test/c.test.ts': "\ntest('O6, O1: it holds', () => {});\n",
    },
    [
      /a\.md: line 1 cites O3/,
      /a\.ts: line 1 cites O4/,
      /b\.c: line 1 cites O5/,
      /c\.test\.ts: line 2 cites O6/,
    ],
  );
});

test('citations, code, and names that only look like numbers are accepted', () => {
  assertAccepted(checkRuleNumbers, {
    ...list,
    'docs/a.md': 'O1 holds. Press `F7`; V8 does the rest.\n\n```\n- **O1** an example\nF9\n```\n',
    'packages/a/src/a.ts':
      "/* O1: the owner. `SS3` is code. */\nconst key = 'F9';\n/*\n * O1 and O2 hold.\n */\n",
    'packages/a/data.json': '"F9"',
  });
});
