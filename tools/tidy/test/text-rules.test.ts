/*
 * Rules about plain text and names: notes to oneself, traces of a machine, file names, links.
 */
import { test } from 'node:test';
import { checkDocumentLinks } from '../rules/document-links.ts';
import { checkFileNames } from '../rules/file-names.ts';
import { checkMachineTraces } from '../rules/machine-traces.ts';
import { checkUnfinishedWork } from '../rules/unfinished-work.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

test('the repository holds no notes to oneself', () => {
  assertObeyed(checkUnfinishedWork);
});

test('a note to oneself is refused', () => {
  const word = 'TO' + 'DO';
  assertRefused(checkUnfinishedWork, { 'a.md': `fine\n${word}: later\n`, 'b.ts': 'todos' }, [
    /a\.md: line 2/,
  ]);
});

test('the repository does not tell on whose machine it was made', () => {
  assertObeyed(checkMachineTraces);
});

test('paths of a machine and addresses of a registry are refused', () => {
  const slash = '/';
  assertRefused(
    checkMachineTraces,
    {
      'b.ts': `'${slash}root/.config'`,
      'c.md': `${slash}home/ana/project`,
      'd.json': `https:${slash}${slash}registry.example.org/x`,
    },
    [/b\.ts/, /c\.md/, /d\.json/],
  );
});

test('ordinary paths are accepted', () => {
  const slash = '/';
  const inside = ['packages', 'home', 'main', 'x'].join(slash);
  const relative = `'~${slash}home${slash}' '.${slash}root${slash}a'`;
  assertAccepted(checkMachineTraces, { 'a.ts': `'${inside}' ${relative}` });
});

test('the files of the repository are named in kebab-case', () => {
  assertObeyed(checkFileNames);
});

test('other cases are refused, expected capitals are accepted', () => {
  assertRefused(
    checkFileNames,
    {
      'README.md': '',
      LICENSE: '',
      '.editorconfig': '',
      '.ci/run': '',
      'packages/kit/src/fake-clock.test.ts': '',
      'packages/kit/src/fakeClock.ts': '',
      'packages/Kit/a.ts': '',
      'docs/some_thing.md': '',
    },
    [/fakeClock\.ts/, /Kit\/a\.ts/, /some_thing/],
  );
});

test('the links of the documents lead somewhere', () => {
  assertObeyed(checkDocumentLinks);
});

test('a dead link is refused', () => {
  assertRefused(
    checkDocumentLinks,
    {
      'docs/a.md':
        '[b](b.md#part) [up](../README.md) [dir](sub/) [web](https://example.org) [x](#x)',
      'docs/b.md': '[gone](gone.md)\n`[code](none.md)`\n```\n[block](none.md)\n```\n',
      'docs/sub/c.md': '',
      'README.md': '',
    },
    [/b\.md: links to gone\.md/],
  );
});
