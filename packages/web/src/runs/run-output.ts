/*
 * The output of one run as it is read: its end at once, what comes as it comes, what is older when it is asked for.
 *
 * Stages: the last page → the stream from where that page ended, over as many connections as it takes → the exit. What arrives is shown once
 * a frame, and of what is not seen no more waits than the window holds.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { RunEvent } from '@clawdfather/protocol/api';
import { type Client, type FollowOptions, followRun, type LinkState } from '@clawdfather/sdk';
import { batchByFrame } from '../data/batch-by-frame.ts';
import { createAttempt, joinProblems, startFollowing } from '../data/following.ts';
import type { Problem } from '../data/problem.ts';
import { formatBytes } from '../text/byte-words.ts';
import { createOutputCleaner } from './clean-output.ts';
import {
  appendNote,
  appendOutput,
  charactersOf,
  emptyWindow,
  followedCharactersMax,
  type OlderPage,
  type OutputWindow,
  prependOlder,
  windowCharactersMax,
} from './output-window.ts';

export interface RunOutput {
  /* Undefined: not here yet. */
  readonly window: ReadonlySignal<OutputWindow | undefined>;
  readonly link: ReadonlySignal<LinkState['kind']>;
  readonly problem: ReadonlySignal<Problem | undefined>;
  /* How many bytes have come since it was opened; grows. */
  readonly arrived: ReadonlySignal<number>;
  /* A reader looks at what is old. */
  keepOld(isKept: boolean): void;
  loadOlder(): Promise<void>;
  /* What failed is tried again now. */
  readonly retry: () => void;
  close(): void;
}

export interface RunOutputDeps extends Pick<FollowOptions, 'clock' | 'random' | 'renewals'> {
  readonly client: Client;
  readonly beforePaint: (show: () => void) => void;
  readonly onExit: () => void;
}

/* Of the journal: some 100 screens of text. */
const firstBytes = 131_072;
const olderBytes = 131_072;
/* An event without text takes memory, too: its cursors. */
const eventCharacters = 100;

export function openRunOutput(deps: RunOutputDeps, runId: string): RunOutput {
  const { client } = deps;
  const window = signal<OutputWindow | undefined>(undefined);
  const link = signal<LinkState['kind']>('connecting');
  const arrived = signal(0);
  const ending = new AbortController();
  let keepsOld = false;

  const follow = async (first: OutputWindow): Promise<void> => {
    window.value = first;
    const cursor = first.end;
    const show = batchByFrame<Shown>({
      beforePaint: deps.beforePaint,
      show: (events) => {
        window.value = events.reduce(
          (known, event) => withEvent(known, event, keepsOld),
          window.value ?? emptyWindow(cursor),
        );
        arrived.value += events.length;
      },
      sizeOf: (event) => eventCharacters + (event.kind === 'text' ? event.text.length : 0),
      sizeMax: followedCharactersMax,
    });
    const onLink = ({ kind }: LinkState): void => {
      link.value = kind;
    };
    const options = { ...deps, signal: ending.signal, onLink };
    const read = createReader(cursor);
    for await (const event of followRun({ client, runId, cursor }, options)) {
      show(read(event));
      if (event.name === 'exit') deps.onExit();
    }
  };
  const following = startFollowing(
    { ...deps, ending: ending.signal },
    { first: (ended) => readLast(client, runId, ended), follow },
  );
  const loadOlder = async (): Promise<void> => {
    const known = window.value;
    const older = known && (await readOlder(client, runId, known));
    // More may have come at the end meanwhile; the beginning is as it was, or was let go.
    const now = window.value;
    if (older === undefined || now?.blocks[0]?.start !== known?.blocks[0]?.start) return;
    window.value = now && prependOlder(now, older);
  };
  const older = createAttempt(loadOlder, ending.signal);
  return {
    ...joinProblems(following, older),
    window,
    link,
    arrived,
    keepOld: (isKept) => {
      keepsOld = isKept;
    },
    loadOlder: older.run,
    close: () => ending.abort(),
  };
}

async function readLast(client: Client, id: string, signal: AbortSignal): Promise<OutputWindow> {
  const query = { tail: firstBytes };
  const page = await client.runs.output({ params: { id }, query }, { signal });
  const { cursor, droppedBytes, text, from = cursor, hasOlder = false } = page;
  const last = prependOlder(emptyWindow(cursor), { text, from, hasOlder });
  if (droppedBytes === 0) return last;
  const gap = appendNote(emptyWindow(from), lost(droppedBytes, 'no longer kept'), from);
  return {
    ...last,
    blocks: [...gap.blocks.map((block) => ({ ...block, id: -2 })), ...last.blocks],
  };
}

/* Undefined: there is nothing older, or as much is shown as a browser should hold. */
async function readOlder(
  client: Client,
  id: string,
  known: OutputWindow,
): Promise<OlderPage | undefined> {
  const before = known.blocks[0]?.start;
  if (before === undefined || !known.hasOlder) return undefined;
  if (charactersOf(known) > windowCharactersMax) return undefined;
  const query = { tail: olderBytes, before };
  const page = await client.runs.output({ params: { id }, query });
  const { text, from = before, hasOlder = false } = page;
  return { text, from, hasOlder };
}

type Shown =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly before: string;
      readonly after: string;
    }
  | { readonly kind: 'note'; readonly note: string; readonly after: string };

/* From events of the wire to what is shown of them; remembers half a character of each stream. */
function createReader(cursor: string): (event: RunEvent) => Shown {
  const cleaners = { stdout: createOutputCleaner(), stderr: createOutputCleaner() };
  let before = cursor;
  return (event) => {
    const after = event.cursor === '' ? before : event.cursor;
    const piece = { before, after };
    before = after;
    switch (event.name) {
      case 'output': {
        const { stream, data } = event.data;
        return { kind: 'text', text: cleaners[stream].push(bytesOf(data)), ...piece };
      }
      case 'gap':
        return { kind: 'note', note: lost(event.data.missedBytes, 'no longer kept'), after };
      case 'damaged':
        return { kind: 'note', note: lost(event.data.missedBytes, 'damaged on the disk'), after };
      case 'tail-lost':
        return { kind: 'note', note: lost(event.data.missedBytes, 'missing at the end'), after };
      case 'exit':
        return { kind: 'text', text: cleaners.stdout.end() + cleaners.stderr.end(), ...piece };
      case 'resize':
        return { kind: 'text', text: '', ...piece };
    }
  };
}

function withEvent(window: OutputWindow, shown: Shown, keepsOld: boolean): OutputWindow {
  if (shown.kind === 'note') return appendNote(window, shown.note, shown.after);
  if (shown.text === '') return { ...window, end: shown.after };
  return appendOutput(window, shown, keepsOld);
}

function lost(bytes: number, why: string): string {
  return bytes === 0 ? `Output is ${why}` : `${formatBytes(bytes)} of output are ${why}`;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
