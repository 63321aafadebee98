/*
 * A terminal on a run of a gateway: the screen as the gateway has it, then what the run says, over a socket that comes again when it
 * was lost. Then the screen is looked at anew, as on arriving: the program may have drawn anything meanwhile, and the word about the
 * lost connection has to go.
 */
import { unlessAborted } from '@clawdfather/kit';
import type { ScreenResult } from '@clawdfather/protocol';
import { type LinkState, openTerminal, type TerminalEvent } from '@clawdfather/sdk';
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';
import {
  createModeTracker,
  formatPicture,
  openTerminalModel,
  type TerminalSize,
} from '@clawdfather/tools/terminal';
import {
  type FeedEvent,
  type Picture,
  pictureOf,
  type TerminalFeed,
} from '../../terminal/terminal-feed.ts';
import type { OpenTerminalOptions, RunHandle } from '../place.ts';
import { explained } from './gateway-handle.ts';
import type { TypingDeps } from './typing.ts';

export async function openFeedAtGateway(
  deps: TypingDeps,
  { runId }: RunHandle,
  { isFresh, size, signal, onLost }: OpenTerminalOptions,
): Promise<TerminalFeed> {
  const { client, clock, random, ask, socket } = deps;
  const params = { id: runId };
  const look = () => client.runs.screen({ params, query: { picture: 'true' } });
  const screen = isFresh ? undefined : await ask(look);
  const painted = screen?.picture;
  /* Aborts when the connection is lost; another one takes its place when there is a connection again. */
  let connected = new AbortController();
  const heard = (state: LinkState): void => {
    if (state.kind === 'lost' && !connected.signal.aborted) onLost();
    if (state.kind === 'lost') connected.abort();
    if (state.kind === 'live' && connected.signal.aborted) connected = new AbortController();
  };
  let redrawn: Picture | undefined;
  const rejoinAt = async (): Promise<string | undefined> => {
    redrawn = undefined;
    const now = await look();
    if (now.picture === undefined) return undefined;
    redrawn = await fitPicture(now.picture.text, now, size());
    return now.picture.cursor;
  };
  const terminal = openTerminal(
    { client, runId, ...(painted === undefined ? {} : { cursor: painted.cursor }) },
    { clock, random, signal, rejoinAt, onLink: heard, ...(socket === undefined ? {} : { socket }) },
  );
  let isAnswerer = false;

  async function* follow(): AsyncGenerator<FeedEvent, void, undefined> {
    for await (const event of explained(ask, terminal[Symbol.asyncIterator]())) {
      if (event.kind === 'answers') {
        isAnswerer = event.isOurs;
        // Only now is the size ours to set.
        if (isAnswerer) terminal.resize(size());
      }
      if (event.kind === 'rejoined') yield { kind: 'repaint', picture: redrawn };
      const output = outputEventOf(event, clock.wallMs());
      if (output !== undefined) yield output;
    }
  }
  return {
    picture:
      screen === undefined || painted === undefined
        ? undefined
        : await fitPicture(painted.text, screen, size()),
    isAnswerer: () => isAnswerer,
    events: follow(),
    /*
     * Nothing that is typed while there is no connection is kept: a shell would carry it out when nobody looks any more. And the
     * detach key is heard meanwhile, so no key is waited for.
     */
    write: async (bytes) => {
      const { signal: lost } = connected;
      if (!lost.aborted) await unlessAborted(terminal.write(bytes), lost);
    },
    resize: async (wanted) => terminal.resize(wanted),
    close: async () => terminal.close(),
  };
}

/* The picture has the size of the run's terminal. On another one its lines are laid out anew; whose size counts is not known yet. */
async function fitPicture(text: string, from: ScreenResult, to: TerminalSize): Promise<Picture> {
  if (from.cols === to.cols && from.rows === to.rows) return pictureOf(text, from);
  const model = await openTerminalModel({ cols: from.cols, rows: from.rows });
  try {
    const tracker = createModeTracker();
    tracker.push(Buffer.from(text));
    await model.write(text);
    await model.layOut(to);
    return pictureOf(formatPicture(model, tracker), model.screen());
  } finally {
    model.close();
  }
}

/* Undefined: nothing that is shown. */
function outputEventOf(event: TerminalEvent, nowMs: number): OutputEvent | undefined {
  switch (event.kind) {
    case 'output': {
      const { stream, bytes } = event;
      return { kind: 'output', stream, bytes, atMs: nowMs, cursor: event.cursor as Cursor };
    }
    case 'gap':
    case 'damaged':
    case 'tail-lost':
      return { ...event, cursor: event.cursor as Cursor };
    case 'resize':
    case 'fit':
    case 'answers':
    case 'rejoined':
    case 'refused':
    case 'exit':
      return undefined;
  }
}
