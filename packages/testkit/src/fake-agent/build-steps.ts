/*
 * The words in which tests write scripts (script.ts): each makes a step or a few. A test reads as the conversation it has:
 *
 *   script([...expectInitialize(), ...expectNew(), onPrompt([say('hel'), gate('a'), say('lo'), endTurn()])])
 *
 * `script` takes steps and lists of steps alike, so that the dots can be left out.
 */
import type { Json, JsonObject } from './messages.ts';
import type { AskStep, Cut, RespondStep, Script, StartChildStep, Step } from './script.ts';

export type Steps = Step | readonly Steps[];

function flat(steps: readonly Steps[]): readonly Step[] {
  return (steps as readonly (Step | readonly Step[])[]).flat(Number.POSITIVE_INFINITY) as Step[];
}

export function script(steps: readonly Steps[], options: Omit<Script, 'steps'> = {}): Script {
  return { ...options, steps: flat(steps) };
}

export function expectMethod(
  method: string,
  options: { readonly params?: Json; readonly as?: string } = {},
): Step {
  return { do: 'expect', method, ...options };
}

type RespondOptions = Pick<RespondStep, 'to' | 'id'>;

export function respond(result: Json, options: RespondOptions = {}): Step {
  return { do: 'respond', result, ...options };
}

export function respondError(code: number, message: string, options: RespondOptions = {}): Step {
  return { do: 'respond', error: { code, message }, ...options };
}

const agentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: { resume: {}, close: {} },
};

export function expectInitialize(result: JsonObject = {}): readonly Step[] {
  const usual = {
    protocolVersion: 1,
    agentCapabilities,
    agentInfo: { name: 'fake-agent', version: '1' },
    authMethods: [],
  };
  return [expectMethod('initialize'), respond({ ...usual, ...result })];
}

/** The session is called `session-1` unless told otherwise. */
export function expectNew(result: JsonObject = {}): readonly Step[] {
  return [expectMethod('session/new'), respond({ sessionId: 'session-1', ...result })];
}

/** Replays first, as ACP wants it, and answers then. */
export function expectLoad(
  replay: readonly Steps[] = [],
  result: JsonObject = {},
): readonly Step[] {
  return [expectMethod('session/load'), ...flat(replay), respond(result)];
}

export function expectResume(result: JsonObject = {}): readonly Step[] {
  return [expectMethod('session/resume'), respond(result)];
}

export interface TurnOptions {
  readonly params?: Json;
  readonly as?: string;
  /** Instead of the rest of the steps: without it, the turn ends as cancelled. */
  readonly onCancel?: readonly Steps[] | 'ignore' | 'expect';
}

/** Nothing in it answers the prompt by itself: say `endTurn()`. */
export function onPrompt(steps: readonly Steps[], options: TurnOptions = {}): Step {
  const { onCancel = [endTurn('cancelled')], ...rest } = options;
  return {
    do: 'turn',
    ...rest,
    steps: flat(steps),
    onCancel: typeof onCancel === 'string' ? onCancel : flat(onCancel),
  };
}

/** Once more answers it twice; `to` names a prompt from before, for an answer that is late. */
export function endTurn(stopReason = 'end_turn', options: RespondOptions = {}): Step {
  return respond({ stopReason }, options);
}

/** For a turn with `onCancel: 'expect'`. */
export function expectCancel(): Step {
  return expectMethod('session/cancel');
}

export function update(content: JsonObject, sessionId?: string): Step {
  return { do: 'update', update: content, ...(sessionId === undefined ? {} : { sessionId }) };
}

function chunk(sessionUpdate: string, text: string): Step {
  return update({ sessionUpdate, content: { type: 'text', text } });
}

export function say(text: string): Step {
  return chunk('agent_message_chunk', text);
}

export function think(text: string): Step {
  return chunk('agent_thought_chunk', text);
}

export function replayUser(text: string): Step {
  return chunk('user_message_chunk', text);
}

export function toolCall(toolCallId: string, title: string, more: JsonObject = {}): Step {
  const usual = { kind: 'execute', status: 'pending' };
  return update({ sessionUpdate: 'tool_call', toolCallId, title, ...usual, ...more });
}

export function toolCallUpdate(toolCallId: string, more: JsonObject): Step {
  return update({ sessionUpdate: 'tool_call_update', toolCallId, ...more });
}

export function plan(...contents: readonly string[]): Step {
  const entries = contents.map((content) => ({ content, priority: 'medium', status: 'pending' }));
  return update({ sessionUpdate: 'plan', entries });
}

export function usage(used: number, size: number): Step {
  return update({ sessionUpdate: 'usage_update', used, size });
}

export function notify(method: string, params: JsonObject): Step {
  return { do: 'notify', method, params };
}

/** A message whose line has exactly this many bytes. */
export function sayBytes(bytes: number): Step {
  return { do: 'fill', bytes };
}

export type AskOptions = Pick<AskStep, 'as' | 'id' | 'isLeftOpen' | 'answer'>;

/** Any method, also one that does not exist. Waits for the answer unless it is left open. */
export function ask(method: string, params: JsonObject, options: AskOptions = {}): Step {
  return { do: 'ask', method, params, ...options };
}

const permissionOptions = [
  { optionId: 'allow-once', name: 'Yes', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Always', kind: 'allow_always' },
  { optionId: 'reject', name: 'No', kind: 'reject_once' },
];

export function askPermission(
  title: string,
  options: AskOptions & { readonly toolCallId?: string; readonly choices?: Json } = {},
): Step {
  const { toolCallId = 'tool-1', choices = permissionOptions, ...rest } = options;
  const toolCallShown = { toolCallId, title, kind: 'execute', status: 'pending' };
  return ask('session/request_permission', { toolCall: toolCallShown, options: choices }, rest);
}

/** A form with one field of text. */
export function elicit(message: string, options: AskOptions = {}): Step {
  const properties = { value: { type: 'string', title: 'Value' } };
  const requestedSchema = { type: 'object', properties, required: ['value'] };
  return ask('elicitation/create', { mode: 'form', message, requestedSchema }, options);
}

export function readTextFile(path: string, options: AskOptions = {}): Step {
  return ask('fs/read_text_file', { path }, options);
}

export function writeTextFile(path: string, content: string, options: AskOptions = {}): Step {
  return ask('fs/write_text_file', { path, content }, options);
}

export function createTerminal(
  command: string,
  args: readonly string[],
  options: AskOptions = {},
): Step {
  return ask('terminal/create', { command, args }, options);
}

/** For what was left open. */
export function awaitAnswer(of: string, match?: Json): Step {
  return { do: 'answer', of, ...(match === undefined ? {} : { match }) };
}

/** Says the answer, `{"result":…}` or `{"error":…}`, so that it can be seen at the other end. */
export function sayAnswer(of: string): Step {
  return { do: 'say-answer', of };
}

/** Takes back what was asked and left open, as ACP does it: `$/cancel_request`. */
export function withdraw(of: string): Step {
  return { do: 'withdraw', of };
}

/** Sends the message of a step in pieces. */
export function cut(step: Step, ...cuts: readonly (number | Cut)[]): Step {
  const places = cuts.map((place) => (typeof place === 'number' ? { at: place } : place));
  return { ...step, cuts: places } as Step;
}

export function raw(bytes: string | Uint8Array): Step {
  return { do: 'raw', base64: Buffer.from(bytes as string).toString('base64') };
}

/** A line that is no JSON. */
export function noise(text: string): Step {
  return raw(`${text}\n`);
}

export function stderr(text: string): Step {
  return { do: 'stderr', text };
}

export function gate(name: string): Step {
  return { do: 'gate', name };
}

/** Played beside the steps that follow: outside of every turn, and not ended by a cancel. */
export function background(steps: readonly Steps[]): Step {
  return { do: 'background', steps: flat(steps) };
}

export function pauseInput(): Step {
  return { do: 'input', isPaused: true };
}

export function resumeInput(): Step {
  return { do: 'input', isPaused: false };
}

/** A process that stays; the trace has its id. The test ends it. */
export function startChild(
  name: string,
  options: Omit<Partial<StartChildStep>, 'do' | 'name'> = {},
): Step {
  return { do: 'child', name, argv: ['sleep', 'infinity'], ...options };
}

export function exitWith(code: number): Step {
  return { do: 'exit', code };
}

export function dieBy(signal: NodeJS.Signals): Step {
  return { do: 'die', signal };
}
