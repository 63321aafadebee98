/*
 * Builtins that are accepted run nothing, whatever the variables in their arguments hold. Bash expands subscripts wherever it
 * takes a name or a number, so a value such as `a[$(cmd)]` is a command to some of them.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { commandsOfLine } from '../../src/shell/commands-of-line.ts';
import { createShellJail } from './shell-jail.ts';

const shells = ['/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell));
const jail = createShellJail();
after(() => jail.remove());

const values = [
  "'a[$(evil)]'",
  "'a[`evil`]'",
  "'$(evil)'",
  "'-v a[$(evil)]'",
  "'x[$(evil)]+1'",
  "'%n'",
];
const words = ['"$x"', '$x', '"$y"', '${x:-a}', "'a[$(evil)]'", '-v'];
const unary = 'b c d e f g h k n p r s t u v w x z G L N O R S'
  .split(' ')
  .map((letter) => `-${letter}`);
const binary = '= == != -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o'.split(' ');
const before = [
  ...'echo cd pwd exit type wait read export set : true test shift return unset let eval hash'.split(
    ' ',
  ),
  'command -v',
  'read -r',
  'printf',
  "printf '%s'",
  "printf '%d'",
  "printf '%n'",
  "printf 'x%ln'",
  'printf -v',
  'export y=',
  'cat <',
];

const forms = words.flatMap((word) => [
  `[ ${word} ]`,
  ...unary.map((operator) => `[ ${operator} ${word} ]`),
  ...binary.flatMap((operator) => words.map((other) => `[ ! ${word} ${operator} ${other} ]`)),
  ...before.map((start) => `${start} ${word}`),
  `echo $((${word}))`,
  `echo \${x:=${word}}`,
  `for y in ${word}; do :; done`,
  `case ${word} in a) :;; esac`,
]);

test('what this is about: bash runs a command out of a value', { skip: shells.length < 2 }, () => {
  for (const form of ['[ -v "$x" ]', 'printf -v "$x" y', 'echo $((x))']) {
    assert.equal(commandsOfLine(form).kind, 'miss', form);
    const { ran } = jail.run('/bin/bash', `x='a[$(evil)]'; ${form}`);
    assert.deepEqual(ran, ['evil'], form);
  }
});

test('no accepted form of a builtin runs anything out of a value', () => {
  const accepted = forms.filter((form) => commandsOfLine(form).kind === 'read');
  assert.ok(accepted.length > 300, `only ${accepted.length} of ${forms.length} forms are accepted`);
  for (const shell of shells) {
    for (const value of values) {
      const lines = accepted.map((form) => `(x=${value}; y=-v; ${form}) <f`);
      const { ran, files } = jail.run(shell, lines.join('\n'));
      // `cat < "$x"` has its program; nothing else has one.
      assert.deepEqual(
        ran.filter((name) => name !== 'cat'),
        [],
        `${shell} with ${value}`,
      );
      assert.deepEqual(files, []);
    }
  }
});

/* The variables that a shell has before anybody sets one. */
function namesOf(shell: string): readonly string[] {
  const list = shell.endsWith('bash')
    ? 'compgen -v; declare -pi | tr = " " | cut -d " " -f 3'
    : 'set | cut -d = -f 1';
  const told = execFileSync(shell, ['-c', list], { encoding: 'utf8' });
  return [...new Set(told.split('\n').filter((name) => /^\w+$/.test(name)))];
}

/* Names that the shell has a use for: some are numbers to it, and it works out what they are set to. */
test('no name of the shell itself that may be set runs anything out of what it is set to', () => {
  for (const shell of shells) {
    const names = namesOf(shell);
    assert.ok(names.length > 3, shell);
    const set = names.flatMap((name) => [
      `${name}=$x`,
      `read -r ${name}`,
      `for ${name} in "$x"; do :; done`,
      `: \${${name}:=$x}`,
      `export ${name}="$x"`,
    ]);
    const accepted = set.filter((form) => commandsOfLine(form).kind === 'read');
    for (const value of values) {
      const lines = accepted.map((form) => `(x=${value}; echo "$x" | { ${form}; })`);
      const { ran, files } = jail.run(shell, lines.join('\n'));
      assert.deepEqual(ran, [], `${shell} with ${value}`);
      assert.deepEqual(files, []);
    }
  }
});
