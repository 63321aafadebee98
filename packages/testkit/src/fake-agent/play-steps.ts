/*
 * How each kind of step is played. Steps that wait end with the signal of their row; the others do not look at it.
 */
import { spawn } from 'node:child_process';
import { missingIn } from './contains.ts';
import { untilAborted, type Ask } from './inbox.ts';
import { formatLine, type Json, type JsonObject, type Request } from './messages.ts';
import {
  cancelTurn,
  isCancelOf,
  ScriptFailure,
  TurnCancelled,
  type Play,
  type PlayStep,
  type Row,
  type Turn,
} from './play.ts';
import { scriptFailedCode, type Step } from './script.ts';
import { sendInPieces } from './send-in-pieces.ts';
import { EndOfInput, type Station } from './station.ts';

export async function playSteps(play: Play, row: Row, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    /* The end of the input counts only where a step waits; that a turn was cancelled counts at once. */
    if (row.signal.reason instanceof TurnCancelled) throw row.signal.reason;
    const playStep = kinds[step.do] as PlayStep<Step['do']> | undefined;
    if (playStep === undefined) throw new ScriptFailure(`there is no step "${step.do}"`);
    await playStep(play, row, step);
  }
}

/** A row that cannot go on ends the agent at once. The end of the input is no failure: what could be played was played. */
export async function guardRow(station: Station, row: Promise<void>): Promise<void> {
  try {
    await row;
  } catch (error) {
    if (error instanceof EndOfInput) return;
    const why = (error as Error).message;
    station.trace.failed(why);
    await station.stderr(`fake agent: ${why}`);
    await station.exit(scriptFailedCode);
  }
}

const expect: PlayStep<'expect'> = async (play, row, { method, params, as }) => {
  for (;;) {
    const message = await play.inbox.take(row.signal);
    const isMeant = message.method === method;
    if (!isMeant && message.kind === 'notification') continue;
    const got = `expected ${method}, got ${message.method} ${JSON.stringify(message.params)}`;
    if (!isMeant) throw new ScriptFailure(got);
    check(message.params, params, got);
    const { sessionId } = message.params;
    if (typeof sessionId === 'string') play.sessionId = sessionId;
    if (message.kind === 'request') {
      row.latest = message;
      if (as !== undefined) play.requests.set(as, message);
    }
    return;
  }
};

const respond: PlayStep<'respond'> = async (play, row, { result, error, to, id, cuts }) => {
  const request = to === undefined ? row.latest : play.requests.get(to);
  if (request === undefined && id === undefined)
    throw new ScriptFailure(`there is no request ${to ?? ''} to respond to`);
  if (request?.method === 'session/new') {
    const { sessionId } = (result ?? {}) as { readonly sessionId?: string };
    play.sessionId = sessionId;
  }
  const outcome = error === undefined ? { result: result ?? null } : { error };
  await sendInPieces(play, { id: id ?? request?.id, ...outcome }, cuts);
};

const update: PlayStep<'update'> = (play, _row, step) =>
  sendInPieces(play, updateMessage(play, step.update, step.sessionId), step.cuts);

function updateMessage(play: Play, content: JsonObject, sessionId = play.sessionId): object {
  return { method: 'session/update', params: { sessionId, update: content } };
}

const notify: PlayStep<'notify'> = (play, _row, { method, params, cuts }) =>
  sendInPieces(play, { method, params }, cuts);

const ask: PlayStep<'ask'> = async (play, row, step) => {
  const id = step.id === undefined ? play.nextAskId : step.id;
  if (step.id === undefined) play.nextAskId += 1;
  const opened = play.asks.open(id);
  if (step.as !== undefined) play.namedAsks.set(step.as, opened);
  const session = play.sessionId === undefined ? {} : { sessionId: play.sessionId };
  const params = { ...session, ...step.params };
  await sendInPieces(play, { id, method: step.method, params }, step.cuts);
  if (step.isLeftOpen !== true) await awaitAnswer(row, opened, step.answer);
};

const answer: PlayStep<'answer'> = async (play, row, { of, match }) => {
  await awaitAnswer(row, askNamed(play, of), match);
};

async function awaitAnswer(row: Row, { id, answered }: Ask, match?: Json): Promise<JsonObject> {
  const outcome = await untilAborted(answered, row.signal);
  check(outcome, match, `the answer to ${JSON.stringify(id)} is ${JSON.stringify(outcome)}`);
  return outcome;
}

const sayAnswer: PlayStep<'say-answer'> = async (play, row, { of }) => {
  const text = JSON.stringify(await awaitAnswer(row, askNamed(play, of)));
  await play.station.send(updateMessage(play, chunk(text)));
};

const withdraw: PlayStep<'withdraw'> = (play, _row, { of }) =>
  play.station.send({ method: '$/cancel_request', params: { requestId: askNamed(play, of).id } });

const fill: PlayStep<'fill'> = async (play, _row, { bytes }) => {
  const length = bytes - formatLine(updateMessage(play, chunk(''))).length;
  if (length < 0) throw new ScriptFailure(`an update does not fit into ${bytes} bytes`);
  const pattern = '0123456789abcdef';
  const text = pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
  await play.station.send(updateMessage(play, chunk(text)));
};

const turn: PlayStep<'turn'> = async (play, row, step) => {
  const { params, as, onCancel } = step;
  const method = 'session/prompt';
  const common = { do: 'expect', method } as const;
  await expect(play, row, {
    ...common,
    ...(params === undefined ? {} : { params }),
    ...(as === undefined ? {} : { as }),
  });
  const current: Turn = {
    request: row.latest as Request,
    onCancel,
    cancelled: new AbortController(),
  };
  play.turns.add(current);
  /* A cancel may have come right behind its prompt, before this turn was known. */
  const isCancelled =
    onCancel !== 'expect' && play.inbox.remove((message) => isCancelOf(message, current.request));
  if (isCancelled) cancelTurn(current);
  const signal = AbortSignal.any([row.signal, current.cancelled.signal]);
  const inTurn: Row = { signal, latest: current.request };
  try {
    await playSteps(play, inTurn, step.steps);
  } catch (error) {
    if (error !== current.cancelled.signal.reason || typeof onCancel === 'string') throw error;
    play.turns.delete(current);
    await playSteps(play, row, onCancel);
  } finally {
    play.turns.delete(current);
  }
};

const child: PlayStep<'child'> = async (play, _row, step) => {
  const [file = '', ...args] = step.argv;
  const out = step.holdsOutput === true ? 'inherit' : 'ignore';
  const started = spawn(file, args, {
    stdio: ['ignore', out, out],
    detached: step.isApart === true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  started.once('spawn', resolve).once('error', reject);
  await promise;
  started.unref();
  play.station.trace.child(step.name, started.pid as number);
};

const kinds: { readonly [Kind in Step['do']]: PlayStep<Kind> } = {
  expect,
  respond,
  update,
  notify,
  ask,
  turn,
  answer,
  'say-answer': sayAnswer,
  withdraw,
  fill,
  child,
  raw: (play, _row, { base64 }) => play.station.output.write(Buffer.from(base64, 'base64')),
  stderr: (play, _row, { text }) => play.station.stderr(text),
  gate: (play, row, { name }) => play.station.passGate(name, row.signal),
  background: async (play, _row, { steps }) => {
    const apart: Row = { signal: play.ended, latest: undefined };
    play.background.push(guardRow(play.station, playSteps(play, apart, steps)));
  },
  input: async (play, _row, { isPaused }) => play.station.pauseInput(isPaused),
  exit: (play, _row, { code }) => play.station.exit(code),
  die: (play, _row, { signal }) => play.station.die(signal),
};

function chunk(text: string): JsonObject {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

function askNamed(play: Play, name: string): Ask {
  const named = play.namedAsks.get(name);
  if (named === undefined) throw new ScriptFailure(`nothing was asked as "${name}"`);
  return named;
}

function check(value: Json, wanted: Json | undefined, what: string): void {
  const missing = wanted === undefined ? undefined : missingIn(value, wanted);
  if (missing !== undefined) throw new ScriptFailure(`${what}: ${missing}`);
}
