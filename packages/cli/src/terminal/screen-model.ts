/*
 * The screen as a terminal would show it, without a terminal: the one adapter
 * around @xterm/headless and its serialize addon.
 *
 * Two uses: painting the current screen for a terminal that attaches, and
 * answering queries while none is attached (E8). Heavy, so it is imported only
 * by commands that need it.
 */
// oxlint-disable-next-line import/default -- CommonJS: Node gives its exports as the default
import serializeModule from '@xterm/addon-serialize';
import headlessModule from '@xterm/headless';
import type { TerminalSize } from '../io/io.ts';
import { answerColourQuery, answerWindowReport, deniedCapability } from './model-answers.ts';

export interface ScreenModel {
  /* Resolves when the bytes are parsed, and all answers they ask for are out. */
  write(data: string | Uint8Array): Promise<void>;
  resize(size: TerminalSize): void;
  readonly size: TerminalSize;
  /* Text and colours of the visible screen(s) with the cursor in place; modes are the tracker's. */
  serialize(): string;
  /* The visible screen as plain lines. */
  lines(): string[];
  dispose(): void;
}

export interface ScreenModelOptions {
  readonly size: TerminalSize;
  /* Called while parsing, for everything a terminal would send back. */
  readonly answer: (text: string) => void;
}

/* Painting shows the screen; history is read with `clf logs`. */
const scrollbackLines = 0;

const versionAnswer = '\u001bP>|clawdfather\u001b\\';
/* Dark; the headless palette below is dark as well. */
const colourSchemeAnswer = '\u001b[?997;1n';

export function createScreenModel(options: ScreenModelOptions): ScreenModel {
  const terminal = new headlessModule.Terminal({
    cols: options.size.cols,
    rows: options.size.rows,
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
  const serializer = new serializeModule.SerializeAddon();
  terminal.loadAddon(serializer);
  terminal.onData(options.answer);
  answerTheRest(terminal, options.answer);
  return {
    write: (data) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      terminal.write(data, resolve);
      return promise;
    },
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    get size() {
      return { cols: terminal.cols, rows: terminal.rows };
    },
    serialize: () =>
      serializer.serialize({ scrollback: scrollbackLines, excludeModes: true }) +
      cursorOf(terminal),
    lines: () => visibleLines(terminal),
    dispose: () => terminal.dispose(),
  };
}

type Terminal = InstanceType<typeof headlessModule.Terminal>;

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
  parser.registerCsiHandler({ prefix: '?', final: 'n' }, (parameters) => {
    if (parameters[0] !== 996) return false;
    answer(colourSchemeAnswer);
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

/*
 * Said once more and absolutely: the serializer moves the cursor back from where it
 * thinks it is, which after a full last line is one column beyond where terminals are.
 * A cursor that waits at the edge to wrap has no position of its own and is left alone.
 */
function cursorOf(terminal: Terminal): string {
  const { cursorX, cursorY } = terminal.buffer.active;
  return cursorX < terminal.cols ? `\u001b[${cursorY + 1};${cursorX + 1}H` : '';
}

function visibleLines(terminal: Terminal): string[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = buffer.getLine(buffer.viewportY + row);
    return line?.translateToString(true) ?? '';
  });
}
