/*
 * The parser is made to go on after mistakes, and drops some tokens without a word (`ls ( a`). So what lies between the
 * parts of a command and of a list is looked at once more: blanks, separators and comments, nothing else.
 */
import type { Command, SyntaxNode } from './parse-line.ts';

interface Span {
  readonly pos: number;
  readonly end: number;
}

const blanks = /^[ \t]*$/;
const betweenStatements = /^(?:[\s;&]|#[^\n]*(?:\n|$))*$/;

/* `text` is the line, with bodies of here-documents blanked out. */
export function isGapless(node: SyntaxNode, text: string): boolean {
  if (node.type === 'Command') return areJoined(partsOf(node), text, blanks);
  if (node.type !== 'Script' && node.type !== 'CompoundList') return true;
  const end = { pos: node.end, end: node.end };
  return areJoined([...node.commands, end], text, betweenStatements);
}

function partsOf({ name, prefix, suffix }: Command): readonly Span[] {
  const parts: readonly Span[] = [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
  return parts.toSorted((one, other) => one.pos - other.pos);
}

function areJoined(parts: readonly Span[], text: string, gap: RegExp): boolean {
  return parts.every((part, index) => {
    const before = parts[index - 1];
    return before === undefined || gap.test(text.slice(before.end, part.pos));
  });
}

/* The line with this part of it made blank, every position kept. */
export function blankOut(text: string, { pos, end }: Span): string {
  return text.slice(0, pos) + text.slice(pos, end).replace(/[^\n]/g, ' ') + text.slice(end);
}
