/*
 * Real programs, driven through keys and read off the screen, as an agent does it.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createProgramRig, whyNot } from './program-rig.ts';

test('vim: text is typed, the cursor moved, a paste put in, the file written', {
  skip: whyNot('vim'),
}, async (context) => {
  const rig = await createProgramRig(context);
  const file = join(rig.directory, 'note.txt');
  const vim = await rig.open('vim', '-u', 'DEFAULTS', '-i', 'NONE', '-n', file);
  const start = await vim.shows(/note\.txt.*\[New\]/s);
  assert.equal(start.isAlternate, true);

  await vim.press('i');
  await vim.shows(/-- INSERT --/);
  await vim.type('first');
  await vim.press('Enter');
  await vim.type('third 日本');
  const typed = await vim.shows(/^third 日本$/m);
  assert.deepEqual(typed.lines.slice(0, 3), ['first', 'third 日本', '~']);
  assert.deepEqual([typed.cursor.row, typed.cursor.column], [1, 10], 'wide letters count twice');

  // Cursor keys in application mode, which vim asks for.
  await vim.press('Up', 'End', 'Enter');
  await vim.shows(({ cursor }) => cursor.row === 1 && cursor.column === 0);
  await vim.paste('  second\u001b[201~:q!\n');
  const pasted = await vim.shows(/second.*\n\nthird/);
  assert.deepEqual(pasted.lines.slice(0, 4), ['first', '  second␛[201~:q!', '', 'third 日本']);

  await vim.press('Escape');
  await vim.type(':wq');
  await vim.shows(/^:wq$/m);
  await vim.press('Enter');
  const exit = await vim.exit();
  assert.equal(exit.code, 0);
  assert.equal(readFileSync(file, 'utf8'), 'first\n  second␛[201~:q!\n\nthird 日本\n');
});

test('less: pages, ends, searches, a new size, and the screen from before comes back', {
  skip: whyNot('less'),
}, async (context) => {
  const rig = await createProgramRig(context);
  const file = join(rig.directory, 'long.txt');
  writeFileSync(file, Array.from({ length: 500 }, (_, line) => `line ${line + 1}\n`).join(''));
  const less = await rig.open('less', file);
  await less.shows(/^line 23$/m);
  await less.press('PgDn');
  await less.shows(/^line 46$/m);
  await less.press('PPage');
  await less.shows(/^line 1$/m);
  await less.press('Down', 'Down');
  await less.shows(({ lines }) => lines[0] === 'line 3');
  await less.press('End');
  await less.shows(/^line 500$/m);
  await less.press('Home');
  await less.shows(({ lines }) => lines[0] === 'line 1');
  await less.type('/line 333');
  await less.press('KPEnter');
  await less.shows(({ lines }) => lines[0] === 'line 333');
  await less.resize(60, 10);
  // As less has drawn it: while it turns to the new size, it may lose a key.
  const isDrawn = (lines: readonly string[]): boolean =>
    lines[0] === 'line 333' && lines[9] === ':';
  const small = await less.shows(({ rows, lines }) => rows === 10 && isDrawn(lines));
  assert.equal(small.cols, 60);
  await less.press('q');
  assert.equal((await less.exit()).code, 0);
  const after = await less.shows(({ isAlternate }) => !isAlternate);
  assert.deepEqual(after.lines.join(''), '');
});

test('top: a screen that is drawn again and again', { skip: whyNot('top') }, async (context) => {
  const rig = await createProgramRig(context);
  const top = await rig.open('top', '-d', '0.2');
  const first = await top.shows(/load average/);
  assert.match(first.lines.join('\n'), /PID.*COMMAND/);
  // Its own help, which needs an answer to a key.
  await top.press('h');
  await top.shows(/Help for Interactive Commands/);
  await top.press('q');
  await top.shows(/load average/);
  await top.press('q');
  assert.equal((await top.exit()).code, 0);
});

test('bash: line editing keys, and a paste that holds a terminator runs nothing', {
  skip: whyNot('bash'),
}, async (context) => {
  const rig = await createProgramRig(context);
  const trap = join(rig.directory, 'typed');
  writeFileSync(join(rig.directory, 'rc'), "PS1='ready> '\nbind 'set enable-bracketed-paste on'\n");
  const bash = await rig.open('bash', '--noprofile', '--rcfile', join(rig.directory, 'rc'), '-i');
  await bash.shows(/^ready>$/m);
  await bash.type('cho ONE twoo');
  await bash.press('BSpace', 'C-a', 'e', 'C-e', 'M-b', 'M-u');
  const edited = await bash.shows(/^ready> echo ONE TWO$/m);
  assert.equal(edited.cursor.column, 'ready> echo ONE TWO'.length);
  await bash.press('Enter');
  await bash.shows(/^ONE TWO$/m);
  await bash.press('Up');
  await bash.shows(/ready> echo ONE TWO\nONE TWO\nready> echo ONE TWO$/m);
  await bash.press('C-u');

  await bash.paste(`echo "\u001b[201~\ntouch ${trap}\n`);
  await bash.shows(/touch .*typed/s);
  await bash.press('C-c');
  await bash.shows(/\^C\nready>$/m);
  await bash.type('exit 7');
  await bash.press('Enter');
  assert.equal((await bash.exit()).code, 7);
  assert.equal(existsSync(trap), false);
});
