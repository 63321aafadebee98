/*
 * Stays with a thread until the turns that matter have ended: shows what happens, asks what the agent asks, and goes on after lost
 * connections and restarts of the gateway exactly where it was.
 */
import { followThread } from '@clawdfather/sdk';
import type { CommandContext } from '../command.ts';
import { flagOf } from '../hosts/place-of-host.ts';
import { isReaderGone } from '../io/io.ts';
import { createLinkTeller } from '../place/gateway/link-teller.ts';
import type { RetryDeps } from '../place/gateway/retried.ts';
import { createPaint, isColoured } from '../render/paint.ts';
import { jsonLine } from '../render/run-json.ts';
import { isInsideRun } from '../sign-in/inside-run.ts';
import type { OpenedGateway } from '../sign-in/open-client.ts';
import { AgentEnd, formatNotice } from './agent-end.ts';
import { type Answerer, createAnswerer } from './answer-here.ts';
import { factOf, type ThreadFact } from './thread-fact.ts';
import { eventJson } from './thread-json.ts';
import type { ThreadEvent, TurnEnd } from './thread-types.ts';
import { type Piece, Transcript } from './transcript.ts';
import { openTypedLines, type TypedLines } from './typed-lines.ts';

export interface TurnsToFollow {
  readonly threadId: string;
  /* The number of the last event that does not matter. */
  readonly after: number;
  readonly isMeant: (event: ThreadEvent) => boolean;
  /* Asked after each end of a turn that is meant. */
  readonly isOver: (turnId: string) => boolean;
  /* Asked before, and open. */
  readonly openAsks: readonly string[];
  /* Aborts when nobody wants to look any more. */
  readonly signal: AbortSignal;
}

export interface EndedTurn {
  readonly turnId: string;
  /* The number of the event that ended it. */
  readonly seq: number;
  readonly end: TurnEnd;
  /* What the agent said in the turns that were meant, as it is on stdout. */
  readonly text: string;
  readonly usage: Readonly<Record<string, unknown>> | undefined;
}

export interface Watching {
  /* Whole lines on stderr, between what is shown. */
  readonly note: (text: string) => Promise<void>;
  readonly retry: RetryDeps;
  /* Throws the signal's reason. */
  readonly follow: (turns: TurnsToFollow) => Promise<EndedTurn>;
}

/* `showsPrompts`: also what people say. */
export function watchThread(
  context: CommandContext,
  gateway: OpenedGateway,
  { showsPrompts }: { readonly showsPrompts: boolean },
): Watching {
  const { io, config, clock, random, isJson } = context;
  const paint = createPaint(isColoured(config, io.stderr) && !isJson);
  const columns = io.columns();
  const transcript = new Transcript({
    isOutTerminal: io.stdout.isTerminal && !isJson,
    isErrTerminal: io.stderr.isTerminal && !isJson,
    paint,
    columns,
    showsPrompts,
  });
  let last: Promise<void> = Promise.resolve();
  const show = (pieces: readonly Piece[]): Promise<void> => {
    const shown = last.then(async () => {
      for (const { to, text } of pieces) await io[to].write(text);
    });
    // Who waits for it is told; the next piece is tried all the same.
    last = shown.catch(() => {});
    return shown;
  };
  const note = (text: string): Promise<void> =>
    show(transcript.note(text)).catch((error: unknown) => {
      // A closed stderr is no reason to leave.
      if (!isReaderGone(error)) throw error;
    });
  const stderr = {
    isTerminal: io.stderr.isTerminal,
    write: (text: string | Uint8Array) => note(String(text)),
  };
  const retry = { clock, random, onLink: createLinkTeller({ io: { ...io, stderr } }) };
  const take = async (event: ThreadEvent, fact: ThreadFact | undefined): Promise<void> => {
    if (isJson) return io.stdout.write(jsonLine(eventJson(event)));
    if (fact !== undefined) await show(transcript.take(fact));
  };
  return {
    note,
    retry,
    follow: async (turns) => {
      const over = new AbortController();
      const signal = AbortSignal.any([turns.signal, over.signal]);
      await using stack = new AsyncDisposableStack();
      const lines = canAnswerHere(context) ? stack.use(openTypedLines(io)) : undefined;
      const answerer = createAnswererOf(context, gateway, { note, retry, lines, signal });
      try {
        return await followTo(gateway, turns, { take, note, answerer, retry });
      } finally {
        over.abort();
        await answerer.settled();
      }
    },
  };
}

function createAnswererOf(
  context: CommandContext,
  { client, target }: OpenedGateway,
  parts: {
    readonly note: (text: string) => Promise<void>;
    readonly retry: RetryDeps;
    readonly lines: TypedLines | undefined;
    readonly signal: AbortSignal;
  },
): Answerer {
  const { io, config, isJson } = context;
  const paint = createPaint(isColoured(config, io.stderr) && !isJson);
  return createAnswerer({
    ...parts,
    client,
    paint,
    columns: io.columns(),
    flag: flagOf(context, target),
  });
}

/* A person's own terminal. Whoever is inside a run may be an agent, and decides nothing (A5). */
function canAnswerHere({ io, isJson, config }: CommandContext): boolean {
  return !isJson && io.stdin.isTerminal && io.stderr.isTerminal && !isInsideRun(config.pid);
}

interface FollowParts {
  readonly take: (event: ThreadEvent, fact: ThreadFact | undefined) => Promise<void>;
  readonly note: (text: string) => Promise<void>;
  readonly answerer: Answerer;
  readonly retry: RetryDeps;
}

async function followTo(
  { client }: OpenedGateway,
  turns: TurnsToFollow,
  { take, note, answerer, retry }: FollowParts,
): Promise<EndedTurn> {
  const { threadId, after, signal } = turns;
  for (const askId of turns.openAsks) answerer.asked(askId);
  const said = createSaid();
  const agentEnd = new AgentEnd();
  let usage: EndedTurn['usage'];
  const onReset = (): void =>
    void note(
      'clf: the gateway was restored to an earlier state; the thread is shown from its beginning\n',
    );
  const follow = followThread({ client, threadId, after, onReset }, { ...retry, signal });
  for await (const event of follow) {
    const fact = factOf(event);
    // Whatever it asks in this thread holds up the turn that is meant.
    if (fact?.kind === 'ask') {
      if (fact.state === 'open') answerer.asked(fact.id);
      else await answerer.over(fact.id, fact.actor);
    }
    if (!turns.isMeant(event)) continue;
    const told = agentEnd.take(event, fact);
    if (told !== undefined) await note(told);
    await take(event, fact);
    if (event.type === 'usage' && event.payload['update'] === undefined) usage = event.payload;
    if (fact === undefined) continue;
    said.add(fact);
    if (fact.kind === 'notice' && fact.event !== 'agent-ended' && fact.message !== undefined) {
      await note(formatNotice(fact.message));
    }
    if (fact.kind !== 'turn-end' || event.turn_id === null) continue;
    const { turn_id: turnId, seq } = event;
    if (turns.isOver(turnId)) return { turnId, seq, end: fact.end, text: said.text(), usage };
  }
  // It ends only with its signal.
  throw signal.reason;
}

/* As the transcript writes it into a file. */
function createSaid() {
  const pieces: string[] = [];
  const transcript = new Transcript({
    isOutTerminal: false,
    isErrTerminal: false,
    paint: createPaint(false),
    columns: undefined,
    showsPrompts: false,
  });
  return {
    add: (fact: ThreadFact): void => {
      for (const { to, text } of transcript.take(fact)) if (to === 'stdout') pieces.push(text);
    },
    text: () => pieces.join(''),
  };
}
