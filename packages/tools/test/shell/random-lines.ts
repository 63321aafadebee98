/*
 * Shell lines that nobody would write: from a grammar, and then with something nasty put in at random places, which is
 * where parsers and shells part company.
 *
 * Programs are the jail's (shell-jail.ts). Every loop breaks after one round, so that each line ends.
 */
import fc from 'fast-check';
import { allowedPrograms, otherPrograms } from './shell-jail.ts';

const program = fc.constantFrom(...allowedPrograms, ...allowedPrograms, ...otherPrograms);

const blank = fc.constantFrom(' ', ' ', '  ', '\t');
const separator = fc.constantFrom(
  ' ; ',
  ';',
  ' && ',
  ' || ',
  ' | ',
  '|',
  ' & ',
  '\n',
  '\n\n',
  ' |& ',
);

const grammar = fc.letrec((tie) => {
  const line = tie('line') as fc.Arbitrary<string>;
  const command = tie('command') as fc.Arbitrary<string>;
  const word = tie('word') as fc.Arbitrary<string>;
  return {
    word: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'shell' },
      fc.constantFrom(
        'a',
        '-l',
        'x.txt',
        '*',
        '$x',
        '"$x"',
        "'q q'",
        '"d d"',
        '\\a',
        '~',
        '{a,b}',
        '$((1+2))',
        '""',
      ),
      fc.constantFrom(
        'a=b',
        '#no',
        'a#b',
        '$?',
        '${x}',
        '"${x:-d}"',
        '${x#a}',
        '"\\$x"',
        '"a\\"b"',
        "'\\'",
        '$',
        '!',
      ),
      line.map((text) => `$(${text})`),
      line.map((text) => `"$(${text})"`),
      line.map((text) => `\`${text}\``),
      line.map((text) => `"\`${text}\`"`),
      line.map((text) => `\${x:-$(${text})}`),
      line.map((text) => `"\${x:-$(${text})}"`),
      line.map((text) => `"\${x:-'$(${text})'}"`),
      line.map((text) => `'$(${text})'`),
      line.map((text) => `<(${text})`),
      line.map((text) => `$((1 + $(${text})))`),
      line.map((text) => `$(( ${text} ))`),
      line.map((text) => `$'\\'$(${text})'`),
      line.map((text) => `\\$(${text})`),
    ),
    command: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'shell', withCrossShrink: true },
      fc.tuple(program, blank, word).map((parts) => parts.join('')),
      program,
      fc.tuple(program, word, word).map((parts) => parts.join(' ')),
      fc
        .tuple(
          fc.constantFrom('x=', 'x=a ', 'PATH=. ', 'IFS= ', 'y=$x ', 'x+=1 ', 'x[1]=2 '),
          program,
        )
        .map((parts) => parts.join('')),
      fc.tuple(word, word).map(([value, other]) => `x=${value} ${other}`),
      fc
        .tuple(
          program,
          fc.constantFrom(
            '>f',
            '> f',
            '2>&1',
            '>/dev/null',
            '&>f',
            '<f',
            '<<<a',
            '>|f',
            '<>f',
            '>&f',
            '{x}>f',
          ),
        )
        .map((parts) => parts.join(' ')),
      fc
        .tuple(
          fc.constantFrom(
            'echo',
            'cd /',
            'eval',
            'exec',
            'command',
            'command -v',
            '.',
            'builtin',
            'test',
            '[ a = a ] &&',
            'export x=',
            'read x',
            'set -e;',
            'set --',
            ':',
            'trap',
            'time',
            'alias ls=',
            'coproc',
            'unset PATH;',
            'hash -p ./rm ls;',
            'local',
            '!',
            'type',
            'wait;',
            'printf %s',
          ),
          command,
        )
        .map((parts) => parts.join(' ')),
      line.map((text) => `(${text})`),
      line.map((text) => `((${text}))`),
      line.map((text) => `{ ${text}; }`),
      fc.tuple(line, line).map(([one, other]) => `if ${one}; then ${other}; fi`),
      fc.tuple(line, line).map(([one, other]) => `if ${one}\nthen ${other}\nelse ${one}\nfi`),
      fc.tuple(line, line).map(([one, other]) => `while ${one}; do ${other}; break; done`),
      fc.tuple(word, line).map(([value, text]) => `for x in ${value}; do ${text}; break; done`),
      fc
        .tuple(word, line)
        .map(([value, text]) => `case ${value} in a) ${text};; *) ${text};; esac`),
      line.map((text) => `f() { ${text}; }; f`),
      line.map((text) => `[[ $(${text}) ]]`),
      fc.tuple(program, line).map(([name, text]) => `${name} <<EOF\n$(${text})\nEOF\n`),
      fc.tuple(program, line).map(([name, text]) => `${name} <<'EOF'\n$(${text})\nEOF\n`),
      fc.tuple(program, line).map(([name, text]) => `${name} <<-EOF\n\t${text}\n\tEOF\n`),
      fc.tuple(program, line).map(([name, text]) => `${name} # ${text}`),
      fc.tuple(program, line).map(([name, text]) => `# ${name}\n${text}`),
    ),
    line: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'shell' },
      command,
      fc.tuple(command, separator, command).map((parts) => parts.join('')),
      fc.tuple(command, separator, command, separator, command).map((parts) => parts.join('')),
    ),
  };
});

/* What turns one reading into another. */
const nasty = fc.constantFrom(
  "'",
  '"',
  '`',
  '\\',
  '$',
  '(',
  ')',
  '((',
  '))',
  '{',
  '}',
  '#',
  ' #',
  '\n',
  ';',
  '&',
  '|',
  '<',
  '>',
  '<<',
  '=',
  '!',

  '\\\n',
  '$(',
  '${',
  "$'",
  '$"',
  "\\'",
  '\\"',
  ';;',
  ' ',
  '\t',
  '\r',
  '\u00a0',
  '[',
  ']',
  '[[',
  '~',
  '*',
  '@(',
  '<(',
  '<<E\n',
);

/* A line, and up to three nasty things at places given as parts of its length. */
export const randomLine: fc.Arbitrary<string> = fc
  .tuple(grammar.line, fc.array(fc.tuple(fc.nat({ max: 999 }), nasty), { maxLength: 3 }))
  .map(([line, insertions]) =>
    insertions.reduce((text, [at, what]) => {
      const place = Math.floor((at / 1_000) * (text.length + 1));
      return text.slice(0, place) + what + text.slice(place);
    }, line),
  );
