/*
 * What a turn has changed, by example: the diff, what is no text, counts, and hunks that pages have cut.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaint } from '../../src/render/paint.ts';
import { formatDiff, formatStat } from '../../src/threads/changes-text.ts';
import { addPage, type ChangedFile, type Hunk } from '../../src/threads/read-changes.ts';

const plain = createPaint(false);
const file: ChangedFile = {
  n: 1,
  path: 'src/a.ts',
  is_new: false,
  is_done: true,
  edits: 1,
  last_seq: 4,
  kind: 'text',
  added: 1,
  removed: 1,
  bytes: null,
  sha256: null,
};
const hunk: Hunk = {
  edit: 1,
  old_start: 1,
  old_lines: 2,
  new_start: 1,
  new_lines: 2,
  lines: [' \tkept', '-old', '+new\u202e'],
};

test('a unified diff, with hidden characters shown', () => {
  const changes = { file, hunks: [hunk], beginning: null };
  const text = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n \tkept\n-old\n+new\\u202e\n';
  assert.equal(formatDiff(changes, plain), text);
  const coloured = formatDiff(changes, createPaint(true));
  assert.ok(coloured.includes('\u001b[32m+new\\u202e\u001b[39m\n'));
});

test('new files, several edits, and paths elsewhere', () => {
  const added = { ...hunk, old_start: 0, old_lines: 0, new_lines: 1, lines: ['+x'] };
  const isNew = { ...file, is_new: true };
  assert.equal(
    formatDiff({ file: isNew, hunks: [added], beginning: null }, plain),
    '--- /dev/null\n+++ b/src/a.ts\n@@ -0,0 +1 @@\n+x\n',
  );
  const elsewhere = { ...file, path: '/etc/x', edits: 2 };
  const second = { ...added, edit: 2 };
  assert.equal(
    formatDiff({ file: elsewhere, hunks: [second], beginning: null }, plain),
    '--- /etc/x\n+++ /etc/x\n@@ -0,0 +1 @@ edit 2 of 2\n+x\n',
  );
});

test('what is not shown as text is told as such', () => {
  const none = { hunks: [], beginning: null };
  const binary = { ...file, kind: 'binary', bytes: 2_048, sha256: 'ab', added: null } as const;
  assert.equal(
    formatDiff({ ...none, file: binary }, plain),
    'Binary file src/a.ts changed (2K), SHA-256 ab\n',
  );
  const large = { ...file, kind: 'too_large', bytes: 3_145_728 } as const;
  assert.equal(
    formatDiff({ file: large, hunks: [], beginning: ['one'] }, plain),
    'File src/a.ts changed and is too large to compare (3M); it begins with:\n  one\n',
  );
  const uncounted = { ...file, kind: 'not_counted' } as const;
  assert.match(formatDiff({ ...none, file: uncounted }, plain), /no time to compare it\n$/);
});

test('counts', () => {
  const large = { ...file, kind: 'too_large', bytes: 2_048, added: null, removed: null } as const;
  const files = [file, { ...large, path: 'b\u001b', is_new: true, is_done: false }];
  const lines = formatStat(files, { paint: plain, columnsMax: undefined }).split('\n');
  assert.match(lines[1] ?? '', /^ +\+1 +−1 +src\/a\.ts$/);
  assert.match(lines[2] ?? '', /^ +- +- +new, too large to compare, 2K, not done yet +b\\x1b$/);
});

test('a hunk that a page has cut is one again, and others stay apart', () => {
  const rest = { ...hunk, old_start: 3, new_start: 3, old_lines: 1, new_lines: 0, lines: ['-x'] };
  const far = { ...hunk, old_start: 40, new_start: 40 };
  const hunks = [hunk];
  addPage(hunks, [rest, far]);
  addPage(hunks, []);
  addPage(hunks, [{ ...hunk, edit: 2 }]);
  assert.deepEqual(hunks, [
    { ...hunk, old_lines: 3, lines: [...hunk.lines, '-x'] },
    far,
    { ...hunk, edit: 2 },
  ]);
});
