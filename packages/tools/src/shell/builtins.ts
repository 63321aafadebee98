/*
 * Commands that are part of the shell: they are run instead of a program of that name, so a rule about files says
 * nothing about them.
 *
 * Those that can do no harm have a check of their arguments here. All others are obstacles: they run other things (eval, exec,
 * `.`, trap, command, builtin, alias, fc), change how the rest of the line is read or looked up (set, shopt, enable, hash,
 * unset), or reach beyond the line (kill, ulimit). The list is of bash and dash together, so that a word is refused that is
 * a builtin of either.
 *
 * Arguments are looked at because of bash: it expands subscripts wherever it takes a variable's name, so `[ -v
 * 'a[$(cmd)]' ]` and `printf -v 'a[$(cmd)]'` run cmd. Hence known words where a name or an option could be.
 */
import type { CommandArgument } from './parse-line.ts';
import { isHarmlessAssignment, isHarmlessName, isOneWord, plainTextOf } from './words.ts';

type Check = (words: readonly CommandArgument[]) => boolean;

const always: Check = () => true;
const plainOnly: Check = (words) => words.every((word) => plainTextOf(word) !== undefined);

const harmless: Readonly<Record<string, Check>> = {
  ':': always,
  true: always,
  false: always,
  echo: always,
  cd: always,
  pwd: plainOnly,
  exit: plainOnly,
  break: plainOnly,
  continue: plainOnly,
  type: plainOnly,
  times: plainOnly,
  wait: (words) => words.length === 0,
  command: (words) => /^-[vV]$/.test(plainTextOf(words[0]) ?? '') && plainOnly(words),
  test: isHarmlessTest,
  '[': (words) => words.at(-1)?.text === ']' && isHarmlessTest(words.slice(0, -1)),
  printf: ([format]) => format !== undefined && isHarmlessFormat(format),
  read: isHarmlessRead,
  export: (words) => words.every(isHarmlessExport),
  set: isHarmlessSet,
};

/* Everything that bash or dash runs by itself. */
const builtins: ReadonlySet<string> = new Set(
  `. : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown echo
   enable eval exec exit export false fc fg getopts hash help histcmd history jobs kill let local logout mapfile popd
   printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset
   ulimit umask unalias unset wait`
    .trim()
    .split(/\s+/),
);

export function isBuiltin(word: string): boolean {
  return builtins.has(word);
}

export function isHarmlessBuiltin(word: string, words: readonly CommandArgument[]): boolean {
  return Object.hasOwn(harmless, word) && harmless[word]?.(words) === true;
}

const unaryTests = /^-[bcdefgGhkLnOprsStuwxz]$/;
const binaryTests = /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/* One test, perhaps negated; its operator is known, and each operand stays one word. */
function isHarmlessTest(words: readonly CommandArgument[]): boolean {
  const operands = words[0]?.text === '!' ? words.slice(1) : words;
  if (!operands.every(isOneWord)) return false;
  const [first, second] = operands;
  switch (operands.length) {
    case 1:
      return true;
    case 2:
      return unaryTests.test(first?.text ?? '');
    case 3:
      return binaryTests.test(second?.text ?? '');
    default:
      return false;
  }
}

/* What printf prints. Its %n sets a variable, and so do %ln and whatever other lengths a shell knows. */
const printing = /%(?:%|[-+ #0']*(?:[0-9]+|\*)?(?:\.(?:[0-9]+|\*)?)?[sbqcdiouxXeEfFgGaA])/g;

/* No option, and nothing but known conversions. */
function isHarmlessFormat(format: CommandArgument): boolean {
  const isKnown =
    plainTextOf(format) !== undefined || /^'[^']*'$|^"[^"$`\\]*(\\n)?"$/.test(format.text);
  const rest = format.text.replace(printing, '');
  return isKnown && !/^['"]?-/.test(format.text) && !rest.includes('%');
}

/* To dash it is a word like any other: `export A=$x` is split, and the second part may be PATH=… */
function isHarmlessExport(word: CommandArgument): boolean {
  if (word.type !== 'Assignment') return isHarmlessName(word.text);
  const { value } = word;
  return (
    isHarmlessAssignment(word) && value.type === 'Word' && (value.text === '' || isOneWord(value))
  );
}

function isHarmlessRead(words: readonly CommandArgument[]): boolean {
  const [first, ...rest] = words;
  const names = first?.text === '-r' ? rest : words;
  return names.every((word) => isHarmlessName(word.text));
}

/* What people put at the head of a script to make it stop early. */
const harmlessSet = /^(([-+][efux]+|-[efux]*o (pipefail|errexit|nounset|xtrace))( |$))+$/;

function isHarmlessSet(words: readonly CommandArgument[]): boolean {
  return harmlessSet.test(words.map(({ text }) => text).join(' '));
}
