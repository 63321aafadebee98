/*
 * A small well-behaved agent: it echoes what it is told, does what echo-turn.ts lists, and remembers its sessions. It uses
 * nothing of the scripts.
 *
 * Prompts of a session are played one after the other; a cancel ends the one that is played and those that wait. At the
 * end of the input it finishes what needs no more input, and exits.
 */
import { appendFileSync } from 'node:fs';
import { type EchoAttached, EchoFailure, playEchoTurn } from './echo-turn.ts';
import {
  echoModels,
  echoModes,
  openEchoSessions,
  type EchoSession,
  type EchoSessions,
} from './echo-sessions.ts';
import { createAsks, untilAborted, type Asks } from './inbox.ts';
import {
  rpcErrorCodes,
  isObject,
  type JsonObject,
  type Received,
  type Request,
} from './messages.ts';
import { EndOfInput, type Station } from './station.ts';

class Cancelled extends Error {}

class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Echo {
  readonly station: Station;
  readonly sessions: EchoSessions;
  readonly asks: Asks;
  /** The file of what its tools do. */
  readonly effects: string | undefined;
  /** What is being answered. */
  readonly answers: Set<Promise<void>>;
  /** By session: the last prompt, and what ends all of them. */
  readonly turns: Map<
    string,
    { readonly cancel: AbortController; readonly over: Promise<unknown> }
  >;
  nextAskId: number;
}

export interface EchoFiles {
  readonly sessions: string | undefined;
  readonly effects: string | undefined;
}

export async function playEcho(station: Station, files: EchoFiles): Promise<void> {
  const sessions = openEchoSessions(files.sessions);
  const echo: Echo = {
    station,
    sessions,
    effects: files.effects,
    asks: createAsks(),
    answers: new Set(),
    turns: new Map(),
    nextAskId: 0,
  };
  const ended = Promise.withResolvers<void>();
  station.inputEnded.addEventListener('abort', () => ended.resolve());
  station.listen((received) => receive(echo, received));
  await ended.promise;
  await Promise.all(echo.answers);
  await station.exit(0);
}

function receive(echo: Echo, received: Received): void {
  if (received.kind === 'answer') echo.asks.settle(received);
  if (received.kind === 'notification' && received.method === 'session/cancel')
    cancel(echo, sessionIdOf(received.params));
  if (received.kind !== 'request') return;
  const answering = answer(echo, received);
  echo.answers.add(answering);
  void answering.then(() => echo.answers.delete(answering));
}

async function answer(echo: Echo, request: Request): Promise<void> {
  const { id } = request;
  try {
    const handle = methods[request.method];
    if (handle === undefined)
      throw new Refused(rpcErrorCodes.methodNotFound, `Method not found: ${request.method}`);
    await echo.station.send({ id, result: await handle(echo, request.params) });
  } catch (error) {
    /* Nothing waits for an answer any more. */
    if (error instanceof EndOfInput) return;
    const code = error instanceof Refused ? error.code : rpcErrorCodes.internal;
    await echo.station.send({ id, error: { code, message: (error as Error).message } });
  }
}

type Method = (echo: Echo, params: JsonObject) => Promise<JsonObject>;

const methods: Readonly<Record<string, Method>> = {
  initialize: async ({ sessions }) => ({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: sessions.areKept,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { close: {}, ...(sessions.areKept ? { resume: {} } : {}) },
    },
    agentInfo: { name: 'echo', title: 'Echo', version: '1' },
    authMethods: [],
  }),
  'session/new': async ({ sessions }) => {
    const session = sessions.create();
    return { sessionId: session.id, ...choicesOf(session) };
  },
  'session/resume': async (echo, params) => choicesOf(sessionOf(echo, params)),
  'session/load': async (echo, params) => {
    const session = sessionOf(echo, params);
    for (const { who, text } of session.history) {
      const sessionUpdate = who === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
      await update(echo, session, { sessionUpdate, content: { type: 'text', text } });
    }
    return choicesOf(session);
  },
  'session/set_mode': async (echo, params) => {
    const session = sessionOf(echo, params);
    const mode = echoModes.find((known) => known === params['modeId']);
    if (mode === undefined)
      throw new Refused(
        rpcErrorCodes.invalidParams,
        `modeId must be one of: ${echoModes.join(', ')}`,
      );
    await changeMode(echo, session, mode);
    return {};
  },
  'session/set_config_option': async (echo, params) => {
    const session = sessionOf(echo, params);
    const model = echoModels.find((known) => known === params['value']);
    if (params['configId'] !== 'model' || model === undefined)
      throw new Refused(rpcErrorCodes.invalidParams, 'there is no such value');
    session.setModel(model);
    return { configOptions: optionsOf(session) };
  },
  'session/close': async (echo, params) => {
    cancel(echo, sessionOf(echo, params).id);
    return {};
  },
  'session/prompt': prompt,
};

function cancel({ turns }: Echo, sessionId: string): void {
  turns.get(sessionId)?.cancel.abort(new Cancelled('cancelled'));
}

async function prompt(echo: Echo, params: JsonObject): Promise<JsonObject> {
  const session = sessionOf(echo, params);
  const before = echo.turns.get(session.id);
  const controller =
    before === undefined || before.cancel.signal.aborted ? new AbortController() : before.cancel;
  const run = async (): Promise<JsonObject> => {
    await before?.over;
    return playPrompt(echo, session, {
      text: textOf(params),
      attached: attachedOf(params),
      signal: controller.signal,
    });
  };
  const done = run();
  /* Whether it failed is for its own prompt to say; the next one only waits for its end. */
  echo.turns.set(session.id, { cancel: controller, over: done.catch(() => undefined) });
  return done;
}

async function playPrompt(
  echo: Echo,
  session: EchoSession,
  {
    text,
    attached,
    signal,
  }: {
    readonly text: string;
    readonly attached: readonly EchoAttached[];
    readonly signal: AbortSignal;
  },
): Promise<JsonObject> {
  const { station, asks } = echo;
  const ending = AbortSignal.any([station.inputEnded, signal]);
  session.add({ who: 'user', text });
  try {
    const said = await playEchoTurn(text, {
      attached,
      update: async (content) => {
        signal.throwIfAborted();
        await update(echo, session, content);
      },
      ask: async (method, params) => {
        const ask = asks.open(echo.nextAskId);
        echo.nextAskId += 1;
        await station.send({ id: ask.id, method, params: { sessionId: session.id, ...params } });
        return untilAborted(ask.answered, ending);
      },
      leaveEffect: (text) => {
        if (echo.effects === undefined) throw new EchoFailure('there is no file for effects');
        appendFileSync(echo.effects, `${text}\n`);
      },
      passGate: (name) => station.passGate(name, ending),
      crash: () => station.die('SIGKILL'),
      choices: () => `${session.mode} ${session.model}`,
      changeMode: (mode) => changeMode(echo, session, mode),
    });
    session.add({ who: 'agent', text: said });
    const used = session.history.reduce((sum, part) => sum + part.text.length, 0);
    await update(echo, session, { sessionUpdate: 'usage_update', used, size: 200_000 });
    return { stopReason: 'end_turn' };
  } catch (error) {
    if (error instanceof Cancelled) return { stopReason: 'cancelled' };
    if (error instanceof EchoFailure) throw new Refused(rpcErrorCodes.internal, error.message);
    throw error;
  }
}

function update({ station }: Echo, session: EchoSession, content: JsonObject): Promise<void> {
  const params = { sessionId: session.id, update: content };
  return station.send({ method: 'session/update', params });
}

async function changeMode(echo: Echo, session: EchoSession, mode: string): Promise<void> {
  session.setMode(mode);
  await update(echo, session, { sessionUpdate: 'current_mode_update', currentModeId: mode });
}

/* In the older way and in the newer one. */
function choicesOf(session: EchoSession): JsonObject {
  const availableModes = echoModes.map((id) => ({ id, name: id }));
  const modes = { currentModeId: session.mode, availableModes };
  return { modes, configOptions: optionsOf(session) };
}

function optionsOf({ model }: EchoSession): JsonObject[] {
  const options = echoModels.map((value) => ({ value, name: `Echo ${value}` }));
  const about = { id: 'model', name: 'Model', category: 'model', type: 'select' };
  return [{ ...about, currentValue: model, options }];
}

function sessionOf({ sessions }: Echo, params: JsonObject): EchoSession {
  const id = sessionIdOf(params);
  const session = sessions.find(id);
  if (session === undefined)
    throw new Refused(rpcErrorCodes.resourceNotFound, `Resource not found: session ${id}`);
  return session;
}

function sessionIdOf({ sessionId }: JsonObject): string {
  return typeof sessionId === 'string' ? sessionId : '';
}

function textOf({ prompt: blocks }: JsonObject): string {
  const list = Array.isArray(blocks) ? (blocks as readonly JsonObject[]) : [];
  return list
    .map((block) => (isObject(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .join('');
}

function attachedOf({ prompt: blocks }: JsonObject): readonly EchoAttached[] {
  const list = Array.isArray(blocks) ? (blocks as readonly JsonObject[]) : [];
  return list.filter(isObject).flatMap(({ type, uri, data }) => {
    if (typeof uri !== 'string') return [];
    if (type === 'image' && typeof data === 'string') return [{ uri, data }];
    return type === 'resource_link' ? [{ uri }] : [];
  });
}
