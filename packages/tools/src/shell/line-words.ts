/*
 * The words of a shell line that may name files: what its commands are called, their arguments, the words of `for`, values that it
 * sets, and what it reads with `<`. Not for deciding whether it may run (commands-of-line.ts): a word too many does no harm here,
 * so it is taken as it is written, without its quotes, whatever stands around it. What it writes to with `>` is not among them.
 *
 * A line that the parser cannot read is split at blanks, quotes and operators instead.
 */
import { isBuiltin } from './builtins.ts';
import { lineCharactersMax } from './commands-of-line.ts';
import {
  type CommandArgument,
  errorOf,
  forEachChild,
  parseLine,
  type SyntaxNode,
} from './parse-line.ts';

export interface LineWords {
  /* What is looked for in PATH when it has no slash. */
  readonly programs: readonly string[];
  readonly words: readonly string[];
  /* What `cd` is given, in order: relative words may mean something there. */
  readonly directories: readonly string[];
}

interface Found {
  readonly programs: string[];
  readonly words: string[];
  readonly directories: string[];
  isRead: boolean;
}

export function wordsOfLine(line: string): LineWords {
  if (line.length > lineCharactersMax) return splitWords(line);
  const found: Found = { programs: [], words: [], directories: [], isRead: true };
  try {
    visit(found, parseLine(line));
  } catch {
    // A parser that gives up has not read it.
    return splitWords(line);
  }
  return found.isRead ? found : splitWords(line);
}

function visit(found: Found, node: SyntaxNode): void {
  if (errorOf(node) !== undefined) found.isRead = false;
  if (node.type === 'Command') {
    const { name, args } = node;
    if (name !== undefined && !isBuiltin(name.value)) found.programs.push(name.value);
    const words = args.flatMap(valuesOf);
    if (name?.value === 'cd') found.directories.push(...words.slice(0, 1));
    found.words.push(...words, ...node.prefix.flatMap((one) => valuesOf(one)));
  } else if (node.type === 'For' || node.type === 'Select') {
    found.words.push(...(node.wordlist ?? []).flatMap(valuesOf));
  } else if (node.type === 'Redirect' && node.operator.startsWith('<')) {
    if (node.target !== undefined) found.words.push(node.target.value);
  }
  forEachChild(node, (child) => visit(found, child));
}

/* Of a redirection none: it is visited by itself. */
function valuesOf(word: CommandArgument | SyntaxNode): readonly string[] {
  if (word.type === 'Word') return [word.value];
  if (word.type !== 'Assignment') return [];
  return word.value.type === 'Word'
    ? [word.value.value]
    : word.value.elements.map(({ value }) => value);
}

/* Each may be a program: where commands begin is not known. */
function splitWords(line: string): LineWords {
  const words = line.match(/[^\s;&|<>()'"`$\\]+/g) ?? [];
  return { programs: words.filter((word) => !isBuiltin(word)), words, directories: [] };
}
