/*
 * What is read from a shell line, and what is left to a person, as tables. The rules' numbers are those of
 * commands-of-line.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandsOfLine } from '../../src/shell/commands-of-line.ts';

/* The programs, or undefined for a miss. */
const programs = (line: string): readonly string[] | undefined => {
  const reading = commandsOfLine(line);
  return reading.kind === 'read' ? reading.programs : undefined;
};

const readLines: readonly (readonly [string, ...string[]])[] = [
  ['ls -l', 'ls'],
  ['ls -l | wc -l', 'ls', 'wc'],
  ['ls; id && pwd || cat a &', 'ls', 'id', 'cat'],
  ['echo "$(ls)" `id`', 'ls', 'id'],
  ['x=$(cat a); echo "$x"', 'cat'],
  ['x=$(cat a) ls', 'ls', 'cat'],
  ['echo "${x:-$(ls)}" ${y:+$(id)}', 'ls', 'id'],
  ['(ls; id) | { cat; }', 'ls', 'id', 'cat'],
  ['if ls; then id; elif cat; then wc; else head; fi', 'ls', 'id', 'cat', 'wc', 'head'],
  ['for f in a $(ls); do cat "$f"; done', 'ls', 'cat'],
  ['while IFS= read -r line; do echo "$line"; done < list'],
  ['until ls; do id; done', 'ls', 'id'],
  ['case $(ls) in a|b) id;; *) cat;; esac', 'ls', 'id', 'cat'],
  ['cat <<EOF\n$(ls) $x\nEOF', 'cat', 'ls'],
  ["cat <<'EOF'\n$(ls)\nEOF", 'cat'],
  ['! ls 2>&1 >/dev/null < in', 'ls'],
  ['[ -f a ] && test "$x" = y && ls', 'ls'],
  ['set -euo pipefail; export FOO=bar; ls', 'ls'],
  ["printf '%s\\n' a; command -v node; true"],
  ['ls *.ts [ab]? ~/x "a b" \'$(no)\' \\$x', 'ls'],
  ['echo $((1 + 2 * 3))'],
  ['LC_ALL=C FOO=1 ls', 'ls'],
  ['/usr/bin/ls; ./tool', '/usr/bin/ls', './tool'],
  ['grep ümlaut datei', 'grep'],
  ['# only a comment'],
  ['ls # and id', 'ls'],
  ['ls\n\nid\n', 'ls', 'id'],
  ['env ls; sudo id; xargs rm', 'env', 'sudo', 'xargs'],
];

for (const [line, ...expected] of readLines) {
  test(`is read: ${JSON.stringify(line)}`, () => assert.deepEqual(programs(line), expected));
}

const missedLines: Readonly<Record<string, readonly string[]>> = {
  'L1 the program is not named in plain text': [
    '$x',
    '"ls"',
    "l''s",
    'l\\s',
    '~/ls',
    '$(echo ls)',
    '`echo ls`',
    'l?',
    '{ls,-l}',
    '*',
    '"" ls',
    "'l s'",
    '$x ls',
    'x+=1',
    'x[1]=2',
  ],
  'L2 it sets a name that steers': [
    'PATH=. ls',
    'PATH=.; ls',
    'LD_PRELOAD=./x.so ls',
    'IFS=x; ls',
    'IFS=x read y',
    'IFS= ls',
    'IFS= PATH=. read y',
    'BASH_ENV=x ls',
    'for PATH in .; do ls; done',
    'read PATH',
    'export PATH=.',
    'export "PATH=."',
    'export $x',
    'export FOO=$x',
    'export FOO=$(cat f)',
    'export FOO=a$x',
    ': ${PATH:=.}',
    ': ${PATH=.}',
    'HOME=/x ls',
    // Bash takes what these are set to for arithmetic, and runs what stands in a subscript.
    "RANDOM='a[$(id)]'",
    "SRANDOM='a[$(id)]'; ls",
    'OPTIND=$x ls',
    'read -r HISTCMD < f',
    'for RANDOM in "a[$x]"; do ls; done',
    ': ${OPTIND:=$x}',
    'x=(a b)',
  ],
  'L3 it writes': [
    'ls > f',
    'ls >> f',
    'ls >| f',
    'ls <> f',
    'ls &> f',
    'ls >& f',
    '> f',
    'ls > $x',
    'ls > "/dev/null"',
    'ls 2> err',
    'cat < /dev/tcp/host/80',
    'cat < $x',
    'ls {fd}> /dev/null',
    'ls > /dev/null/../f',
  ],
  'L4 arithmetic with more than numbers': [
    'echo $((x))',
    'echo $((a[$(id)]))',
    'echo $((ls) | id)',
    'echo $((ls); (id))',
    '((ls))',
    '((ls); id)',
    'echo $[1+1]',
    'let x=1',
    'echo $((`id`))',
  ],
  'L5 quotes that shells take off differently': [
    'echo `echo \\`id\\``',
    'echo "`echo "id"`"',
    'echo "${x:-\'$(id)\'}"',
    'echo ${x:-"a"}',
    'echo ${x:-\\}}',
    "echo `'`",
    'echo ${!x}',
    'echo ${x@P}',
    'echo ${x:1}',
    'echo ${x/a/b}',
    'echo ${a[1]}',
    'echo ${a[$(id)]}',
  ],
  'L6 here-documents and continued lines': [
    'cat <<A <<B\na\nA\nb\nB',
    'cat <<"A B"\nx\nA B',
    'cat <<EOF\nno end',
    'echo $(cat <<EOF\nx\nEOF\n)',
    'cat <<EOF\n\\$(id)\nEOF',
    'ls \\\n-l',
    'cat <<<x',
  ],
  'parts of the shell that run or change other things': [
    'eval ls',
    'exec ls',
    '. ./x',
    'source ./x',
    'command ls',
    'builtin ls',
    'trap ls EXIT',
    'alias ls=rm',
    'hash -p ./rm ls',
    'enable -f ./x.so x',
    'unset PATH',
    'set -- a b',
    'set -k',
    'shopt -s expand_aliases',
    'kill -9 -1',
    'ulimit -n 1',
    'mapfile -C ls',
    'declare -n x=PATH',
    'local x',
    'f() { ls; }',
    'function f { ls; }',
    "[ -v 'a[$(id)]' ]",
    '[ "$x" "$y" ]',
    '[ $x ]',
    '[ "$@" ]',
    'test -v x',
    "printf -v 'a[$(id)]' x",
    'printf $x',
    "printf '%n' PATH",
    "printf 'x%ln' PATH; ls",
    'printf x%hhn PATH',
    "printf '%-5.3jn' PATH",
    "printf '%(%Y)T%n' 1 PATH",
    "printf '%' PATH",
    "read 'a[$(id)]'",
    'read -p x y',
    'wait -p x',
  ],
  'what only one shell has': [
    'echo <(ls)',
    'ls |& cat',
    '[[ -f a ]]',
    'time ls',
    'coproc ls',
    'select x in a; do ls; done',
    "echo $'a'",
    'echo $"a"',
    'ls @(a|b)',
    'ls {a,b}',
    'for ((;;)); do ls; done',
    'case a in a) ls;& esac',
    'echo ${ ls; }',
  ],
  'what cannot be parsed': [
    'ls (',
    'if ls',
    'echo "',
    "echo '",
    'ls )',
    '& ls',
    'echo ${',
    'echo $(',
    ';;',
    'fi',
  ],
  'odd characters': [
    'ls\0',
    'ls\r',
    'ls\u00a0-l',
    'ls \u202e',
    'ls \ud800',
    'ls\u2028id',
    'ls \u001b[2K',
  ],
};

for (const [rule, lines] of Object.entries(missedLines)) {
  test(`is left to a person: ${rule}`, () => {
    assert.deepEqual(
      lines.filter((line) => commandsOfLine(line).kind === 'read'),
      [],
    );
  });
}

test('a change of directory is told, wherever it happens', () => {
  for (const line of ['cd src && ls', '(cd src); ls', 'ls | cd x', 'echo $(cd x; ls)']) {
    const reading = commandsOfLine(line);
    assert.ok(reading.kind === 'read' && reading.changesDirectory, line);
  }
  const still = commandsOfLine('ls cd');
  assert.ok(still.kind === 'read' && !still.changesDirectory);
});

test('a line whose parsing would take long is not parsed', () => {
  for (const part of ['{a,', '$(', '"', '`', '((', '$((', '<(', 'if ', '${x:-', 'a<<E\n', 'ls;']) {
    assert.equal(commandsOfLine(part.repeat(40_000)).kind, 'miss');
  }
});

test('a miss says why in one line, without what was in the line being able to fake another', () => {
  const reading = commandsOfLine('eval ls; PATH=x id; cat > f; $x');
  assert.ok(reading.kind === 'miss');
  assert.match(reading.why, /eval/);
  assert.match(reading.why, /PATH/);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (line) => {
      const one = commandsOfLine(line);
      return one.kind === 'read' || !/[\n\r]/.test(one.why);
    }),
  );
});
