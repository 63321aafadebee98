/*
 * What the steps of a script share while it is played, and how what is received finds its way to them.
 */
import {
  createAsks,
  createInbox,
  type Ask,
  type Asks,
  type Inbox,
  type Incoming,
} from './inbox.ts';
import type { Json, Received, Request } from './messages.ts';
import type { Script, Step, TurnStep } from './script.ts';
import type { Station } from './station.ts';

/** The reason of a turn's signal. */
export class TurnCancelled extends Error {}

export class ScriptFailure extends Error {}

export interface Turn {
  readonly request: Request;
  readonly onCancel: TurnStep['onCancel'];
  readonly cancelled: AbortController;
}

/** One row of steps that are played after each other; the background has rows of its own. */
export interface Row {
  /** Ends what the row waits for. */
  readonly signal: AbortSignal;
  latest: Request | undefined;
}

export interface Play {
  readonly station: Station;
  /** The end of the input, if this agent minds it. */
  readonly ended: AbortSignal;
  readonly inbox: Inbox;
  readonly asks: Asks;
  readonly requests: Map<string, Request>;
  readonly namedAsks: Map<string, Ask>;
  readonly turns: Set<Turn>;
  readonly background: Promise<void>[];
  sessionId: string | undefined;
  nextAskId: number;
}

export type PlayStep<Kind extends Step['do']> = (
  play: Play,
  row: Row,
  step: Extract<Step, { readonly do: Kind }>,
) => Promise<void>;

export function createPlay(station: Station, ended: AbortSignal): Play {
  return {
    station,
    ended,
    inbox: createInbox(),
    asks: createAsks(),
    requests: new Map(),
    namedAsks: new Map(),
    turns: new Set(),
    background: [],
    sessionId: undefined,
    nextAskId: 0,
  };
}

export function receive(play: Play, script: Script, received: Received): void {
  switch (received.kind) {
    case 'noise':
      return;
    case 'answer':
      play.asks.settle(received);
      return;
    case 'request': {
      const result: Json | undefined = script.always?.[received.method];
      if (result === undefined) play.inbox.put(received);
      else void play.station.send({ id: received.id, result });
      return;
    }
    case 'notification': {
      const turns = [...play.turns].filter((turn) => isCancelOf(received, turn.request));
      if (turns.every(({ onCancel }) => onCancel === 'expect')) play.inbox.put(received);
      for (const turn of turns) cancelTurn(turn);
    }
  }
}

export function isCancelOf(message: Incoming, { params }: Request): boolean {
  return message.method === 'session/cancel' && message.params['sessionId'] === params['sessionId'];
}

/* A turn that ignores it has no ear for the signal either. */
export function cancelTurn({ onCancel, cancelled }: Turn): void {
  if (typeof onCancel !== 'string') cancelled.abort(new TurnCancelled('the turn was cancelled'));
}
