/*
 * A long text of Markdown as pieces that can be drawn one by one: paragraphs, lists, stretches of code. Only pieces that are on the
 * screen are parsed, and while a text is being written only its last stretch is looked at again.
 *
 * It reads lines and nothing inside of them, so it takes the same time for each character, whatever the text is. What is too long
 * for the parser, or nested too deep, becomes a piece of plain text: nothing is left out.
 */
export type Piece =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'plain'; readonly text: string }
  | CodePiece;

/* A few lines of a block of code; `code` is all of it. */
export interface CodePiece {
  readonly kind: 'code';
  readonly text: string;
  readonly language: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly code: string;
  /* Its fence is closed. */
  readonly isClosed: boolean;
}

export interface SplitText {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /* Where its last stretch begins, and how many pieces are before that. */
  readonly tailAt: number;
  readonly tailPieces: number;
}

/* The parser takes a fifth of a second for the worst text of this length. */
const proseCharactersMax = 4_000;
/* A screen of plain text. */
const plainCharactersMax = 2_000;
/* Two thirds of a screen: few enough that what is drawn beyond the screen costs little. */
const codeLinesMax = 24;
const lineCharactersMax = 2_000;
/* Deeper quotes are no quotes; the parser would run out of stack. */
const nestedMax = 16;

const fencePattern = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]*)/;
const listPattern = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly fence: Fence | undefined;
}

interface Fence {
  readonly mark: string;
  readonly language: string;
  readonly indent: number;
  readonly isClosed: boolean;
}

/* `before`: the same text when it was shorter. */
export function splitMarkdown(text: string, before?: SplitText): SplitText {
  const known = before !== undefined && text.startsWith(before.text) ? before : undefined;
  const stretches = stretchesOf(text, known?.tailAt ?? 0);
  const pieces = known === undefined ? [] : known.pieces.slice(0, known.tailPieces);
  let tailPieces = pieces.length;
  for (const stretch of stretches) {
    tailPieces = pieces.length;
    pieces.push(...piecesOf(text, stretch));
  }
  return { text, pieces, tailAt: stretches.at(-1)?.from ?? known?.tailAt ?? 0, tailPieces };
}

/* From `from` on, where one begins. Empty lines between them belong to none. */
function stretchesOf(text: string, from: number): readonly Stretch[] {
  const found: Stretch[] = [];
  let begin: number | undefined;
  let end = from;
  let fence: Fence | undefined;
  let isList = false;
  let isAfterEmpty = false;
  const close = (isClosed = false): void => {
    if (begin !== undefined) {
      found.push({ from: begin, to: end, fence: fence && { ...fence, isClosed } });
    }
    begin = undefined;
    fence = undefined;
  };
  for (let at = from; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline + 1;
    // Only the beginning of a line says what it is.
    const line = text.slice(at, Math.min(next, at + 200)).trimEnd();
    if (fence !== undefined) {
      end = next;
      if (isEndOf(fence, line)) close(true);
    } else if (line === '' && next - at <= 200) {
      isAfterEmpty = true;
    } else {
      const opened = fenceOf(line);
      const isItem = listPattern.test(line);
      const isOwn = isAfterEmpty && !(isList && /^[ \t]/.test(line));
      const isLong = begin !== undefined && at - begin > proseCharactersMax / 2;
      if (opened !== undefined || isOwn || (isLong && isItem)) close();
      if (begin === undefined) {
        begin = at;
        isList = isItem;
      }
      fence = opened;
      end = next;
      isAfterEmpty = false;
    }
    at = next;
  }
  close();
  return found;
}

function fenceOf(line: string): Fence | undefined {
  const match = fencePattern.exec(line);
  if (match === null) return undefined;
  const [, mark = '', language = ''] = match;
  return { mark, language, indent: line.indexOf(mark), isClosed: false };
}

function isEndOf({ mark }: Fence, line: string): boolean {
  const said = line.trim();
  return said.startsWith(mark) && said === said.slice(0, 1).repeat(said.length);
}

function piecesOf(text: string, { from, to, fence }: Stretch): readonly Piece[] {
  const source = text.slice(from, to);
  if (fence !== undefined) return codePieces(source, fence);
  const isTooMuch = source.length > proseCharactersMax || isNestedDeep(source);
  if (!isTooMuch) return [{ kind: 'prose', text: source.trimEnd() }];
  return cutText(source.trimEnd(), plainCharactersMax).map((part) => ({
    kind: 'plain',
    text: part,
  }));
}

function isNestedDeep(source: string): boolean {
  return source.split('\n', 1_000).some((line) => {
    const marks = /^[ \t>*+-]*/.exec(line)?.[0].replace(/[ \t]/g, '') ?? '';
    // A line of dashes is a rule.
    return marks.length > nestedMax && marks !== '-'.repeat(marks.length);
  });
}

function codePieces(source: string, { language, indent, isClosed }: Fence): readonly Piece[] {
  const lines = source.split('\n').slice(1);
  if (lines.at(-1) === '') lines.pop();
  if (isClosed) lines.pop();
  const code = lines.map((line) => withoutIndent(line, indent)).join('\n');
  const parts = linesByPiece(code);
  return parts.map((part, index) => ({
    kind: 'code',
    text: part,
    language,
    isFirst: index === 0,
    isLast: index === parts.length - 1,
    code,
    isClosed,
  }));
}

function withoutIndent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && (line[at] === ' ' || line[at] === '\t')) at += 1;
  return at === 0 ? line : line.slice(at);
}

/* A line that is too long goes on in the next one. */
export function linesByPiece(code: string): readonly string[] {
  const lines = code.split('\n').flatMap((line) => cutText(line, lineCharactersMax));
  const parts: string[] = [];
  for (let at = 0; at < lines.length; at += codeLinesMax) {
    parts.push(lines.slice(at, at + codeLinesMax).join('\n'));
  }
  return parts;
}

/* At ends of lines where there are some, and never inside of a character. */
export function cutText(text: string, charactersMax: number): readonly string[] {
  if (text.length <= charactersMax) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + charactersMax, text.length);
    if (end < text.length) {
      const newline = text.lastIndexOf('\n', end);
      if (newline > at) end = newline + 1;
      else if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    }
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
