/*
 * `clf top` in front of a person: looks at their interval, keys and sizes at once, and
 * the terminal as it was when we leave, whatever makes us leave.
 */
import { unlessAborted } from '@clawdfather/kit';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import type { LocalTerminal } from '../io/io.ts';
import { openRawTerminal, type RawTerminal } from '../terminal/raw-terminal.ts';
import { formatLook } from './format-look.ts';
import { layoutScreen } from './layout-screen.ts';
import { createScreenPainter, enterScreen, leaveScreen } from './screen-painter.ts';
import type { SortOrder } from './sort-rows.ts';
import { parseKeys, type TopAction } from './top-keys.ts';
import type { Look } from './watch-runs.ts';

export interface TopOptions {
  readonly context: CommandContext;
  readonly look: () => Promise<Look>;
  readonly order: SortOrder;
  readonly intervalMs: number;
  /* What is said when nothing lives. */
  readonly nothing: string;
}

/* The first look has nothing to compare with, so the second comes soon. */
export const firstIntervalMs = 300;

interface View {
  order: SortOrder;
  isReversed: boolean;
  offset: number;
  /* Rows that were seen at once. */
  page: number;
}

export async function watchOnTerminal(
  options: TopOptions,
  terminal: LocalTerminal,
): Promise<ExitStatus> {
  const { io, clock } = options.context;
  const view: View = { order: options.order, isReversed: false, offset: 0, page: 1 };
  const stop = new AbortController();
  const screen = openScreen(options, terminal, view);
  let stoppedBy: NodeJS.Signals | undefined;
  using stack = new DisposableStack();
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const) {
    const leave = (): void => {
      stoppedBy = name;
      stop.abort();
    };
    stack.use(io.signals.on(name, leave));
  }
  const readKeys = async (): Promise<void> => {
    for await (const chunk of io.stdin.read(stop.signal)) {
      for (const action of parseKeys(chunk)) {
        if (action.kind === 'quit') stop.abort();
        else if (action.kind === 'suspend') screen.suspend();
        else act(view, action);
      }
      void screen.draw();
    }
  };
  // When it ends, the terminal is gone or we were told to leave.
  const keys = readKeys().finally(() => stop.abort());
  try {
    for (let waitMs = firstIntervalMs; !stop.signal.aborted; waitMs = options.intervalMs) {
      // A gateway may take long to answer; leaving does not wait for it.
      const look = await unlessAborted(options.look(), stop.signal);
      if (look !== undefined) await screen.draw(look);
      await clock.sleep(waitMs, stop.signal).catch(() => {});
    }
  } finally {
    stop.abort();
    await Promise.allSettled([keys]);
    await screen.close();
  }
  return stoppedBy === undefined ? codeStatus(exitOk) : { kind: 'signal', signal: stoppedBy };
}

interface Screen {
  /* The new look, or the last one as the view is now. */
  draw(look?: Look): Promise<void>;
  /* Ctrl-Z: the terminal is given back until a shell continues us. */
  suspend(): void;
  close(): Promise<void>;
}

function openScreen(
  { context: { io, paint }, nothing }: TopOptions,
  terminal: LocalTerminal,
  view: View,
): Screen {
  const painter = createScreenPainter(io.stdout);
  let last: Look | undefined;
  /* One after the other, each with the newest that is known then. */
  let drawing: Promise<void> = Promise.resolve();
  const paintNow = async (): Promise<void> => {
    if (last === undefined) return;
    const size = terminal.size();
    const text = formatLook(last, { ...view, paint, columnsMax: size.cols });
    const layout = layoutScreen(text, { size, offset: view.offset, paint, nothing });
    view.offset = layout.offset;
    view.page = layout.page;
    await painter.paint(layout.lines);
  };
  const draw = (look = last): Promise<void> => {
    last = look;
    drawing = drawing.then(paintNow);
    return drawing;
  };
  const enter = (): RawTerminal => {
    const raw = openRawTerminal(io, terminal, { undo: () => leaveScreen });
    terminal.writeNow(enterScreen);
    painter.forget();
    return raw;
  };
  let raw = enter();
  const resizing = terminal.onResize(() => {
    painter.forget();
    void draw();
  });
  return {
    draw,
    suspend: () => {
      raw[Symbol.dispose]();
      // Returns when a shell continues us.
      io.signals.stopSelf();
      raw = enter();
    },
    close: async () => {
      resizing[Symbol.dispose]();
      // A terminal that is gone fails it; leaving must not.
      await drawing.catch(() => {});
      raw[Symbol.dispose]();
    },
  };
}

function act(view: View, action: Exclude<TopAction, { kind: 'quit' | 'suspend' }>): void {
  switch (action.kind) {
    case 'sort':
      view.order = action.order;
      view.isReversed = false;
      view.offset = 0;
      return;
    case 'reverse':
      view.isReversed = !view.isReversed;
      return;
    case 'scroll': {
      const rows = { row: 1, page: view.page, edge: Number.MAX_SAFE_INTEGER }[action.unit];
      // The end is found when it is drawn.
      view.offset = Math.max(0, view.offset + action.by * rows);
    }
  }
}
