/*
 * Which paths a command names: what an approval can be bound to.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookedAtMax } from '../../src/approvals/approval-limits.ts';
import type { ProposedAction } from '../../src/approvals/gatekeeper.ts';
import { namedPaths } from '../../src/approvals/named-paths.ts';

const pathsOf = (command: ProposedAction['command']) =>
  namedPaths({ command, cwd: '/place' }, '/usr/bin:bin:');
const filesOf = (line: string): readonly string[] =>
  pathsOf({ kind: 'line', shell: '/bin/sh', line }).files;
const programsOf = (line: string): readonly string[] =>
  pathsOf({ kind: 'line', shell: '/bin/sh', line }).programs.map(([first = '']) => first);

test('of a program: every argument, and the program where PATH may have it', () => {
  const { files, programs, more } = pathsOf({ kind: 'argv', argv: ['tool', 'a', '/b', '../c'] });
  assert.deepEqual(files, ['/place/a', '/b', '/c', '/place/../c']);
  assert.deepEqual(programs, [['/usr/bin/tool', '/place/bin/tool', '/place/tool']]);
  assert.equal(more, 0);
  assert.deepEqual(pathsOf({ kind: 'argv', argv: ['./tool'] }).files, ['/place/tool']);
});

test('of a line: the words of every command, without quotes, and what is read with <', () => {
  assert.deepEqual(
    filesOf(`./a "b c" 'd' < e | x f > out && (y g; z $(w h)) 2>> err`).toSorted(),
    [
      '/bin/sh',
      '/place/a',
      '/place/b c',
      '/place/d',
      '/place/e',
      '/place/f',
      '/place/g',
      '/place/$(w h)',
      '/place/h',
    ].toSorted(),
  );
  assert.deepEqual(programsOf('tool x; echo y; if other; then third; fi'), [
    '/usr/bin/tool',
    '/usr/bin/other',
    '/usr/bin/third',
  ]);
  assert.ok(filesOf('for f in one two; do sh $f; done').includes('/place/two'));
  assert.ok(filesOf('. ./lib.sh').includes('/place/lib.sh'), 'what the shell itself reads');
});

test('values of options and variables are names too', () => {
  assert.ok(filesOf('tool --config=conf/a.json').includes('/place/conf/a.json'));
  assert.ok(filesOf('CONFIG=b.json tool').includes('/place/b.json'));
  assert.ok(filesOf('make V=c.mk').includes('/place/c.mk'));
});

test('after cd a relative word may mean either place', () => {
  const files = filesOf('cd sub && cd deeper && ./run');
  for (const path of ['/place/run', '/place/sub/run', '/place/sub/deeper/run']) {
    assert.ok(files.includes(path), path);
  }
});

test('.. after a name may lead beside the name, or beside where a link of that name leads', () => {
  assert.deepEqual(
    pathsOf({ kind: 'argv', argv: ['./x', 'link/.././s.sh', '/a//b/../c', '/../d'] }).files,
    ['/place/x', '/place/s.sh', '/place/link/../s.sh', '/a/c', '/a/b/../c', '/d'],
  );
  // A shell folds what `cd` is given; `cd -P` and other programs do not.
  const files = filesOf('cd link/.. && ./run');
  for (const path of ['/place/run', '/place/link/../run']) assert.ok(files.includes(path), path);
});

test('a word that is a line for a shell is read as one', () => {
  const { files, programs } = pathsOf({
    kind: 'argv',
    argv: ['bash', '-lc', 'cd sub && tool x.py'],
  });
  assert.ok(files.includes('/place/sub/x.py'));
  assert.deepEqual(
    programs.map(([first]) => first),
    ['/usr/bin/bash', '/usr/bin/tool'],
  );
});

test('what the parser cannot read is split', () => {
  const files = filesOf(`python x.py "unterminated; sh 'y.sh`);
  for (const path of ['/place/x.py', '/place/y.sh']) assert.ok(files.includes(path), path);
  assert.ok(filesOf(`tool ${'w '.repeat(8_000)} last.sh`).includes('/place/last.sh'));
});

test('what is beyond the limits is counted', () => {
  const many = Array.from({ length: lookedAtMax + 5 }, (_, index) => `f${index}`);
  const { files, more } = pathsOf({ kind: 'argv', argv: ['tool', ...many] });
  assert.deepEqual([files.length, more], [lookedAtMax, 5]);
});

test('what can be no name is passed over', () => {
  assert.deepEqual(pathsOf({ kind: 'argv', argv: ['./x', '', 'a\0b', 'n'.repeat(5_000)] }).files, [
    '/place/x',
  ]);
});
