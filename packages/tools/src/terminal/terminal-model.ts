/*
 * The screen as a terminal would show it, without a terminal: the one adapter around @xterm/headless and its serialize
 * addon.
 *
 * Uses: telling an agent what a person would see, painting the current screen for a terminal that attaches, and
 * answering queries while none is attached (E8). The parts from outside are loaded when the first model is opened, since
 * most commands need none.
 */
import { makeVisible } from '@clawdfather/kit';
import {
  isJoined,
  narrowPlace,
  placeCharacter,
  widthOfPlace,
} from '../output/character-columns.ts';
import { showHiddenMarks } from '../output/clean-text.ts';
import { layOutScreen } from './lay-out.ts';
import { answerColourQuery, answerWindowReport, deniedCapability } from './model-answers.ts';
import type { TerminalSize } from './terminal-size.ts';

/* What of a program's wishes decides how keys and pastes are sent to it. */
export interface TerminalModes {
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  readonly bracketedPaste: boolean;
}

export interface Screen extends TerminalSize {
  /* One string per row, trailing blanks cut. A wide character takes two columns and is there once. */
  readonly lines: string[];
  /* Counted from 0, in cells: `row` is an index of `lines`. */
  readonly cursor: { readonly row: number; readonly column: number; readonly isVisible: boolean };
  readonly title: string;
  /* A full-screen program is on; the lines are its own. */
  readonly isAlternate: boolean;
}

export interface TerminalModel {
  /* Resolves when the bytes are parsed, and all answers they ask for are out. */
  write(data: string | Uint8Array): Promise<void>;
  /* The program is told, and draws the line of the cursor again. */
  resize(size: TerminalSize): void;
  /* For showing it on a terminal of another size, of which the program does not know. */
  layOut(size: TerminalSize): Promise<void>;
  screen(): Screen;
  modes(): TerminalModes;
  /* Text and colours of the visible screen(s) with the cursor in place; modes are the tracker's. */
  serialize(): string;
  close(): void;
}

export interface TerminalModelOptions extends TerminalSize {
  /* Called while parsing, for everything a terminal would send back. By default it is dropped. */
  readonly answer?: (text: string) => void;
}

/* The model is of a screen; history is read from the journal. */
const scrollbackLines = 0;
/* Programs put paths and song titles there; more is not read. */
const titleCharactersMax = 500;

const versionAnswer = '\u001bP>|clawdfather\u001b\\';
/* Dark; the headless palette is dark as well. */
const colourSchemeAnswer = '\u001b[?997;1n';

export async function openTerminalModel(options: TerminalModelOptions): Promise<TerminalModel> {
  const { headless, serialize } = await loadParts();
  const terminal = new headless.Terminal({
    cols: options.cols,
    rows: options.rows,
    scrollback: scrollbackLines,
    allowProposedApi: true,
    // Without these the parser swallows the questions before our handlers see them.
    windowOptions: {
      getWinState: true,
      getWinSizePixels: true,
      getCellSizePixels: true,
      getWinSizeChars: true,
      getScreenSizeChars: true,
    },
    // Broken sequences are the program's business and would be printed over its screen.
    logLevel: 'off',
  });
  const serializer = new serialize.SerializeAddon();
  terminal.loadAddon(serializer);
  useOurColumns(terminal);
  const answer = options.answer ?? (() => {});
  terminal.onData(answer);
  answerTheRest(terminal, answer);
  const isCursorVisible = watchCursor(terminal);
  let title = '';
  terminal.onTitleChange((text) => {
    title = makeVisible(text.slice(0, titleCharactersMax));
  });
  return {
    write: (data) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      terminal.write(data, resolve);
      return promise;
    },
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    layOut: (size) => layOutScreen(terminal, size),
    screen: () => ({
      cols: terminal.cols,
      rows: terminal.rows,
      lines: visibleLines(terminal),
      cursor: { ...cursorPlace(terminal), isVisible: isCursorVisible() },
      title,
      isAlternate: terminal.buffer.active.type === 'alternate',
    }),
    modes: () => ({
      applicationCursor: terminal.modes.applicationCursorKeysMode,
      applicationKeypad: terminal.modes.applicationKeypadMode,
      bracketedPaste: terminal.modes.bracketedPasteMode,
    }),
    serialize: () =>
      serializer.serialize({ scrollback: scrollbackLines, excludeModes: true }) +
      cursorSequence(terminal),
    close: () => terminal.dispose(),
  };
}

/* CommonJS: Node gives their exports as the default. */
async function loadParts() {
  const [headless, serialize] = await Promise.all([
    import('@xterm/headless'),
    import('@xterm/addon-serialize'),
  ]);
  return { headless: headless.default, serialize: serialize.default };
}

type Terminal = InstanceType<Awaited<ReturnType<typeof loadParts>>['headless']['Terminal']>;

const unicodeVersion = 'clawdfather';

/* The widths of characters: those of the model itself are of Unicode 6, in which emoji are narrow. */
function useOurColumns(terminal: Terminal): void {
  terminal.unicode.register({
    version: unicodeVersion,
    wcwidth: (codePoint) => {
      const width = widthOfPlace(placeCharacter(codePoint));
      return width === 0 || width === 2 ? width : 1;
    },
    charProperties: (codePoint, before) => {
      const place = placeCharacter(codePoint, before);
      // A mark at the beginning of a row has no cell to go into, and the model cannot drop it: it gets one of its own.
      const isAlone =
        isJoined(place) && widthOfPlace(before) === 0 && terminal.buffer.active.cursorX === 0;
      return isAlone ? narrowPlace : place;
    },
  });
  terminal.unicode.activeVersion = unicodeVersion;
}

/* Queries that the headless build leaves open because a browser would know the answer. */
function answerTheRest(terminal: Terminal, answer: (text: string) => void): void {
  const { parser } = terminal;
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, () => {
    answer(versionAnswer);
    return true;
  });
  parser.registerCsiHandler({ final: 't' }, (parameters) => {
    const size = { cols: terminal.cols, rows: terminal.rows };
    const report = answerWindowReport(Number(parameters[0]), size);
    if (report !== undefined) answer(report);
    return report !== undefined;
  });
  // The model's own answer names the column after the last one while the cursor waits there; terminals name the last.
  const cursorAnswer = (): string => {
    const { row, column } = cursorPlace(terminal);
    return `${row + 1};${column + 1}R`;
  };
  parser.registerCsiHandler({ final: 'n' }, (parameters) => {
    if (parameters[0] !== 6) return false;
    answer(`\u001b[${cursorAnswer()}`);
    return true;
  });
  parser.registerCsiHandler({ prefix: '?', final: 'n' }, (parameters) => {
    if (parameters[0] === 6) answer(`\u001b[?${cursorAnswer()}`);
    else if (parameters[0] === 996) answer(colourSchemeAnswer);
    else return false;
    return true;
  });
  parser.registerDcsHandler({ intermediates: '+', final: 'q' }, () => {
    answer(deniedCapability);
    return true;
  });
  for (const number of [4, 10, 11, 12]) {
    parser.registerOscHandler(number, (body) => {
      const text = answerColourQuery(number, body);
      if (text !== undefined) answer(text);
      return text !== undefined;
    });
  }
}

/* DECTCEM, which the model obeys but does not tell; both resets bring the cursor back. */
function watchCursor({ parser }: Terminal): () => boolean {
  let isVisible = true;
  const show = (): boolean => {
    isVisible = true;
    // The model's own handlers still have their turn.
    return false;
  };
  for (const final of ['h', 'l']) {
    parser.registerCsiHandler({ prefix: '?', final }, (parameters) => {
      if (parameters.includes(25)) isVisible = final === 'h';
      return false;
    });
  }
  parser.registerCsiHandler({ intermediates: '!', final: 'p' }, show);
  parser.registerEscHandler({ final: 'c' }, show);
  return () => isVisible;
}

function cursorPlace(terminal: Terminal): { readonly row: number; readonly column: number } {
  const { cursorX, cursorY } = terminal.buffer.active;
  // After the last column it waits to wrap, and is shown on that column.
  return { row: cursorY, column: Math.min(cursorX, terminal.cols - 1) };
}

/*
 * Said once more and absolutely: the serializer moves the cursor back from where it
 * thinks it is, which after a full last line is one column beyond where terminals are.
 * A cursor that waits at the edge to wrap has no position of its own and is left alone.
 */
function cursorSequence(terminal: Terminal): string {
  const { cursorX, cursorY } = terminal.buffer.active;
  return cursorX < terminal.cols ? `\u001b[${cursorY + 1};${cursorX + 1}H` : '';
}

function visibleLines(terminal: Terminal): string[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = buffer.getLine(buffer.viewportY + row);
    // The model's own trimming stops at blanks that were written.
    return showHiddenMarks(line?.translateToString(true).replace(/ +$/, '') ?? '');
  });
}
