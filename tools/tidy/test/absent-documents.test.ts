/*
 * Citations of documents: only of those that a reader can open here.
 */
import { test } from 'node:test';
import { checkAbsentDocuments } from '../rules/absent-documents.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

/* Put together here, so that this file does not accuse itself. */
const list = 'check' + 'list';

test('the repository cites no document that it does not have', () => {
  assertObeyed(checkAbsentDocuments);
});

test('citations of absent documents are refused, wherever people read them', () => {
  assertRefused(
    checkAbsentDocuments,
    {
      'docs/a.md': `Fine.\nAs the ${'con' + 'tract'} says.\n`,
      'packages/a/src/a.ts': `/* Kept (${list} 20). */\n`,
      'packages/a/src/b.ts': `const b = 1; // ${'STY' + 'LE'} 17\n`,
      'packages/a/native/c.c': `/*\n * ${'INVARI' + 'ANTS'} T3\n */\n`,
      'packages/a/test/d.test.ts': `\ntest('as ${'document'} 001 has it', () => {});\n`,
      'deploy/e.yml': `a: 1 # as ${'the design'} has it\n`,
    },
    [
      /a\.md: line 2 cites "contract"/,
      /a\.ts: line 1/,
      /b\.ts: line 1 cites "STYLE"/,
      /c\.c: line 2/,
      /d\.test\.ts: line 2 cites "document 001"/,
      /e\.yml: line 1/,
    ],
  );
});

test('files that are here, code, and ordinary words are accepted', () => {
  assertAccepted(checkAbsentDocuments, {
    'docs/a.md': `See [invariants](invariants.md), release-${list}.md and docs/decisions/0014. \`${list}\` is code.\n`,
    'packages/a/src/a.ts': `/* The document that was parsed. */\nconst name = '${list}';\n`,
    LICENSE: 'AN ACTION OF CONTRACT',
    'deploy/e.yml': `a: '${list}'\n`,
  });
});
