/*
 * What is held of an output: its end, in blocks of whole lines, and as much before it as was asked for. However long the output is, the
 * window is not longer than its bounds.
 *
 * A block begins with a line. What belongs to the line before it is kept as its `head`, so that an older page can be joined without a
 * line that is cut in two.
 */
export interface OutputBlock {
  readonly id: number;
  readonly text: string;
  /* The cursor before `head`. */
  readonly start: string;
  /* The end of the line before: between the cursor and the text. */
  readonly head: string;
  /* Instead of text: something that is not there, in words. */
  readonly note?: string;
}

export interface OutputWindow {
  readonly blocks: readonly OutputBlock[];
  /* There may be output before the first block. */
  readonly hasOlder: boolean;
  /* The cursor after the last block. */
  readonly end: string;
}

/* A block is drawn anew when it grows; this much costs nothing. */
const blockCharacters = 8_192;
/* A line that is longer is shown in pieces. */
const lineCharactersMax = 65_536;
/* Some 5,000 lines. */
export const followedCharactersMax = 400_000;
/* A reader who goes back further downloads it. */
export const windowCharactersMax = 2_000_000;

export interface OutputPiece {
  readonly text: string;
  /* The cursors before and after it. */
  readonly before: string;
  readonly after: string;
}

export interface OlderPage {
  readonly text: string;
  readonly from: string;
  readonly hasOlder: boolean;
}

export function emptyWindow(end: string): OutputWindow {
  return { blocks: [], hasOlder: false, end };
}

/* `keepsOld`: a reader looks at what is old; it is not taken away meanwhile. */
export function appendOutput(
  window: OutputWindow,
  { text, before, after }: OutputPiece,
  keepsOld: boolean,
): OutputWindow {
  const last = window.blocks.at(-1);
  const isFull =
    last === undefined ||
    last.note !== undefined ||
    (last.text.length > blockCharacters && mayEnd(last.text, text));
  const blocks = isFull
    ? withNewBlock(window.blocks, text, before)
    : [...window.blocks.slice(0, -1), { ...last, text: joinLines(last.text, text) }];
  return trim(
    { ...window, blocks, end: after },
    keepsOld ? windowCharactersMax : followedCharactersMax,
  );
}

export function appendNote(window: OutputWindow, note: string, after: string): OutputWindow {
  const block = { id: nextId(window.blocks), text: '', start: window.end, head: '', note };
  return { ...window, blocks: [...window.blocks, block], end: after };
}

export function prependOlder(window: OutputWindow, page: OlderPage): OutputWindow {
  const [first, ...rest] = window.blocks;
  const whole = page.text + (first?.head ?? '');
  // The first line may have begun before the page.
  const cut = page.hasOlder ? whole.indexOf('\n') + 1 : 0;
  const block = {
    id: (first?.id ?? 0) - 1,
    text: joinLines('', whole.slice(cut)),
    start: page.from,
    head: whole.slice(0, cut),
  };
  const known = first === undefined ? [] : [{ ...first, head: '' }, ...rest];
  return { ...window, blocks: [block, ...known], hasOlder: page.hasOlder };
}

export function charactersOf({ blocks }: Pick<OutputWindow, 'blocks'>): number {
  return blocks.reduce((sum, { text }) => sum + text.length, 0);
}

/* What the command has said, and nothing of ours: a command can say any words, so only an element of the page tells a note from them. */
export function textOf({ blocks }: Pick<OutputWindow, 'blocks'>): string {
  return blocks.map(({ text }) => text).join('');
}

export function notesIn({ blocks }: Pick<OutputWindow, 'blocks'>): number {
  return blocks.filter(({ note }) => note !== undefined).length;
}

/* At the end of a line; or inside one that has no end. */
function mayEnd(text: string, added: string): boolean {
  return text.endsWith('\n') || added.includes('\n') || text.length > lineCharactersMax;
}

/* The line that has begun is ended in its own block. */
function withNewBlock(
  blocks: readonly OutputBlock[],
  text: string,
  start: string,
): readonly OutputBlock[] {
  const last = blocks.at(-1);
  const isBegun = last !== undefined && last.note === undefined && !last.text.endsWith('\n');
  const cut = isBegun ? text.indexOf('\n') + 1 : 0;
  const head = text.slice(0, cut);
  const block = { id: nextId(blocks), text: joinLines('', text.slice(cut)), start, head };
  if (!isBegun) return [...blocks, block];
  return [...blocks.slice(0, -1), { ...last, text: joinLines(last.text, head) }, block];
}

/* A carriage return alone begins the line anew: of a progress bar, the newest state is shown. */
function joinLines(text: string, added: string): string {
  if (!added.includes('\r')) return text + added;
  const [first = '', ...lines] = added.split('\n');
  const at = first.indexOf('\r');
  const anew = at < 0 ? '' : newestOf(first.slice(at));
  const begun =
    anew === ''
      ? text + (at < 0 ? first : first.slice(0, at))
      : text.slice(0, text.lastIndexOf('\n') + 1) + anew;
  return [begun, ...lines.map(newestOf)].join('\n');
}

/* Of one line: each character is looked at once or twice, however often it is written anew. */
function newestOf(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end);
}

function trim(window: OutputWindow, charactersMax: number): OutputWindow {
  let characters = charactersOf(window);
  let from = 0;
  while (characters > charactersMax && from < window.blocks.length - 1) {
    characters -= window.blocks[from]?.text.length ?? 0;
    from += 1;
  }
  return from === 0 ? window : { ...window, blocks: window.blocks.slice(from), hasOlder: true };
}

function nextId(blocks: readonly OutputBlock[]): number {
  return (blocks.at(-1)?.id ?? 0) + 1;
}
