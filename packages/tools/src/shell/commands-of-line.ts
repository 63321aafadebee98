/*
 * From a shell line to every program it can run, or to the reason why that cannot be told.
 *
 * The line is parsed as bash and may be run by dash. So being parsed is not enough: accepted is only what both read alike, node
 * by node, and everything else is an obstacle. The rules below are about disagreements that were tried out; the rest of the
 * language (`[[`, `((`, `<( )`, `&>`, `$'…'`, functions, …) is refused by not being listed.
 *
 * L1 A program word is plain text: no quotes, no expansion, nothing to be taken off or filled in.
 * L2 A name that steers the shell or its programs is not set: by assignment, `for`, `read`, `export` or `${x:=…}`.
 * L3 Nothing is written to but /dev/null and descriptors that are open already.
 * L4 Arithmetic holds numbers and operators alone. With a bracket it may be a subshell instead, and bash expands subscripts
 *    in the values of names.
 * L5 Backquotes, and words inside `${…}`, hold no quotes and no backslashes: shells differ on when they are removed.
 * L6 Of here-documents there is one, with a plain delimiter, outside substitutions. No backslash ends a line.
 */
import { isBuiltin, isHarmlessBuiltin } from './builtins.ts';
import { blankOut, isGapless } from './gaps.ts';
import { type LineReads, readsOfLine } from './line-reads.ts';
import {
  hereDocumentObstacle,
  type Nesting,
  parameterObstacle,
  redirectObstacle,
  substitutionObstacle,
} from './obstacles.ts';
import { type Command, errorOf, forEachChild, parseLine, type SyntaxNode } from './parse-line.ts';
import { isHarmlessAssignment, isHarmlessName } from './words.ts';

export type LineReading =
  | {
      readonly kind: 'read';
      /* The program word of every simple command that is not part of the shell, in order. */
      readonly programs: readonly string[];
      /* What is relative means something else afterwards. */
      readonly changesDirectory: boolean;
      /* What the shell reads by itself. */
      readonly reads: LineReads;
    }
  | { readonly kind: 'miss'; readonly why: string };

interface Reading {
  readonly line: string;
  /* The line without the bodies of here-documents. */
  outline: string;
  readonly programs: string[];
  readonly obstacles: Set<string>;
  changesDirectory: boolean;
  reads: LineReads;
  hereDocuments: number;
}

/* One reason is enough for a person who reads it on a phone. */
const obstaclesShownMax = 3;

/* Control characters, odd blanks, directional marks, halves of pairs: nothing a command needs, and shells differ on them. */
const oddCharacters = /[^\P{C}\n\t]|[^\P{Z} ]/u;

/* More than a person reads; the parser needs time in the square of some lines (73 ms for this much of the worst). */
export const lineCharactersMax = 8_192;

export function commandsOfLine(line: string): LineReading {
  if (line.length > lineCharactersMax) return miss('it is very long');
  if (oddCharacters.test(line)) return miss('it has invisible or odd characters');
  if (line.includes('\\\n')) return miss('a backslash ends one of its lines');
  const reading: Reading = {
    line,
    outline: line,
    programs: [],
    obstacles: new Set(),
    changesDirectory: false,
    reads: { files: false, names: undefined },
    hereDocuments: 0,
  };
  try {
    const tree = parseLine(line);
    outlineOf(reading, tree);
    visit(reading, tree, 'top');
    reading.reads = readsOfLine(tree, line);
  } catch {
    // A parser that gives up has not read it; nothing else follows from that.
    return miss('it could not be parsed');
  }
  // Bash reads what follows in the new locale, and there are some in which a letter holds a backslash.
  if (/\b(LANG|LC_[A-Z]+)=/.test(line) && /[^ -~\n\t]/.test(line)) {
    reading.obstacles.add('it changes the locale and is not all ASCII');
  }
  if (reading.hereDocuments > 1) reading.obstacles.add('several here-documents');
  if (reading.obstacles.size > 0) {
    return miss([...reading.obstacles].slice(0, obstaclesShownMax).join('; '));
  }
  const { programs, changesDirectory, reads } = reading;
  return { kind: 'read', programs, changesDirectory, reads };
}

function miss(why: string): LineReading {
  return { kind: 'miss', why };
}

/* L1. A bracket and a colon are programs' names by themselves only. */
const programWord = /^([A-Za-z0-9_./+-]+|\[|:)$/;

/* L4 */
const numbersOnly = /^\$\(\([0-9 +*/%<>=!&|^~?:,-]+\)\)$/;

/* Nodes that need no check of their own: only their children count. */
const transparent: ReadonlySet<SyntaxNode['type']> = new Set([
  'Script',
  'Statement',
  'CompoundList',
  'AndOr',
  'Negation',
  'If',
  'Elif',
  'While',
  'BraceGroup',
  'Redirected',
  'Word',
  'Literal',
  'Glob',
  'SingleQuoted',
  'DoubleQuoted',
  'FileDescriptor',
  'HereDocDelimiter',
  'HereDocBody',
  'SimpleExpansion',
  'Default',
  'Remove',
  'ArithmeticBinary',
  'ArithmeticUnary',
  'ArithmeticTernary',
  'ArithmeticWord',
]);

/* Here-documents are taken out first: their bodies lie between the parts of other things. */
function outlineOf(reading: Reading, node: SyntaxNode): void {
  if (node.type === 'HereDoc' && node.closing !== undefined) {
    const body = { pos: node.body.pos, end: node.closing.end };
    reading.outline = blankOut(reading.outline, body);
  }
  forEachChild(node, (child) => outlineOf(reading, child));
}

function visit(reading: Reading, node: SyntaxNode, nesting: Nesting): void {
  const obstacle = obstacleOf(reading, node, nesting);
  if (obstacle !== undefined) reading.obstacles.add(obstacle);
  const inside = node.type === 'CommandExpansion' ? 'substitution' : nesting;
  forEachChild(node, (child) => visit(reading, child, inside));
}

/* Some ways to stand in a line need a look; the rest is transparent or refused. */
type Looks = {
  readonly [Type in SyntaxNode['type']]?: (
    node: Extract<SyntaxNode, { type: Type }>,
    reading: Reading,
    nesting: Nesting,
  ) => string | undefined;
};

const looks: Looks = {
  Command: commandObstacle,
  // As a part of a command it was looked at there; as an argument it is text.
  Assignment: () => undefined,
  Subshell: ({ pos }, { line }) => (isDoubled(line, pos) ? '((' : undefined),
  For: ({ name }) => (isHarmlessName(name.text) ? undefined : `it sets ${name.text}`),
  Pipeline: ({ operators }) => (operators.includes('|&') ? 'sh reads |& differently' : undefined),
  Case: (_node, _reading, nesting) =>
    nesting === 'top' ? undefined : 'case inside a substitution',
  CaseItem: ({ terminator }) =>
    terminator === undefined || terminator === ';;' ? undefined : 'case that falls through',
  Redirect: redirectObstacle,
  HereDoc: (node, reading, nesting) => {
    reading.hereDocuments += 1;
    return hereDocumentObstacle(node, nesting);
  },
  CommandExpansion: substitutionObstacle,
  ParameterExpansion: parameterObstacle,
  ArithmeticExpansion: ({ text }) =>
    numbersOnly.test(text) ? undefined : 'arithmetic with more than numbers',
};

function obstacleOf(reading: Reading, node: SyntaxNode, nesting: Nesting): string | undefined {
  const error = errorOf(node);
  if (error !== undefined) return `it could not be parsed (${error})`;
  if (!isGapless(node, nesting === 'top' ? reading.outline : reading.line)) {
    return 'it could not be parsed';
  }
  if (transparent.has(node.type)) return undefined;
  // Each entry takes the type it is listed under, which the compiler cannot see through a lookup.
  const look = looks[node.type] as
    | ((node: SyntaxNode, reading: Reading, nesting: Nesting) => string | undefined)
    | undefined;
  if (look === undefined) return `sh and bash do not agree on it (${node.type})`;
  return look(node, reading, nesting);
}

/* `((` begins a subshell in a subshell, or arithmetic: it depends on the shell, and on what follows. */
function isDoubled(line: string, position: number): boolean {
  return line.startsWith('((', position);
}

function commandObstacle(command: Command, reading: Reading): string | undefined {
  const { name } = command;
  const set = command.prefix.filter((one) => one.type === 'Assignment');
  const isForRead = name?.text === 'read';
  const harmful = set.find(
    (one) => !isHarmlessAssignment(one) && !(isForRead && one.text === 'IFS='),
  );
  if (harmful !== undefined) return `it sets ${harmful.name}`;
  if (name === undefined) return undefined;
  if (!programWord.test(name.text)) return 'the program is not named in plain text';
  if (!isBuiltin(name.text)) {
    reading.programs.push(name.text);
    return undefined;
  }
  if (name.text === 'cd') reading.changesDirectory = true;
  return isHarmlessBuiltin(name.text, command.args)
    ? undefined
    : `${name.text} is a part of the shell that can run or change other things`;
}
