/*
 * One turn of the echoing agent. Each line of the prompt is a thing to do, or else is echoed in several chunks:
 *
 *   ask: TITLE       asks for permission and says what was chosen
 *   question: TEXT   asks for a value and says it
 *   tool: TITLE      shows a tool call that succeeds
 *   terminal: LINE   runs it in a terminal of the client's, and says its output and its end
 *   kill: LINE       the same, ended as soon as it has started
 *   effect: TEXT     a tool call that leaves the text as a line in the file of effects
 *   file: PATH TEXT  writes a file below its working directory
 *   think: TEXT      plan: FIRST, SECOND      say N words
 *   read attached    says of each file that came along how many bytes it has, and of a picture that it came as one
 *   say choices      says its mode and its model
 *   mode: NAME       changes its mode by itself
 *   sleep at GATE    waits at a gate
 *   fail: TEXT       answers the prompt with an error
 *   crash            dies by a signal
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, type Json, type JsonObject } from './messages.ts';

/** A file that came along with a prompt; `data`: the picture itself, in base64. */
export interface EchoAttached {
  readonly uri: string;
  readonly data?: string;
}

/** What a turn can do. */
export interface EchoVoice {
  /** Files that came along with the prompt. */
  readonly attached: readonly EchoAttached[];
  update(content: JsonObject): Promise<void>;
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  leaveEffect(text: string): void;
  passGate(name: string): Promise<void>;
  crash(): Promise<never>;
  choices(): string;
  changeMode(mode: string): Promise<void>;
}

/** Becomes the error that the prompt is answered with. */
export class EchoFailure extends Error {}

/* Enough to see that a message comes in pieces. */
const chunksPerLine = 4;
/* About as much as a long answer of a real agent. */
const wordsMax = 100_000;

type Command = (turn: EchoTurn, rest: string) => Promise<void>;

interface EchoTurn {
  readonly voice: EchoVoice;
  /** The text that was said so far. */
  said: string;
  toolCalls: number;
}

const commands: readonly (readonly [RegExp, Command])[] = [
  [/^ask: *(.+)$/, askPermission],
  [/^question: *(.+)$/, askQuestion],
  [/^terminal: *(.+)$/, (turn, line) => runTerminal(turn, line, false)],
  [/^kill: *(.+)$/, (turn, line) => runTerminal(turn, line, true)],
  [/^tool: *(.+)$/, (turn, title) => runTool(turn, title, async () => true)],
  [
    /^effect: *(.+)$/,
    (turn, text) =>
      runTool(turn, text, async () => {
        turn.voice.leaveEffect(text);
        return true;
      }),
  ],
  [/^file: *(.+)$/, (turn, rest) => runTool(turn, 'write', async () => writeBelow(rest))],
  [/^think: *(.+)$/, (turn, text) => turn.voice.update(chunk('agent_thought_chunk', text))],
  [/^plan: *(.+)$/, showPlan],
  [/^say (\d{1,6}) words?$/, sayWords],
  [/^read attached()$/, readAttached],
  [/^say choices()$/, (turn) => say(turn, turn.voice.choices())],
  [/^mode: *(.+)$/, (turn, mode) => turn.voice.changeMode(mode)],
  [/^sleep at ([\w-]+)$/, (turn, name) => turn.voice.passGate(name)],
  [/^fail: *(.+)$/, (_turn, text) => Promise.reject(new EchoFailure(text))],
  [/^crash()$/, (turn) => turn.voice.crash()],
];

async function writeBelow(rest: string): Promise<boolean> {
  const [path = '', ...words] = rest.split(' ');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, words.join(' '));
  return true;
}

async function readAttached(turn: EchoTurn): Promise<void> {
  for (const { uri, data } of turn.voice.attached) {
    const path = fileURLToPath(uri);
    const bytes = readFileSync(path);
    const isSeen = data !== undefined && bytes.equals(Buffer.from(data, 'base64'));
    await say(turn, `${basename(path)} ${isSeen ? 'is seen and ' : ''}has ${bytes.length} bytes. `);
  }
}

/** Resolves with what was said. */
export async function playEchoTurn(text: string, voice: EchoVoice): Promise<string> {
  const turn: EchoTurn = { voice, said: '', toolCalls: 0 };
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const found = commands.find(([pattern]) => pattern.test(line));
    if (found === undefined) await echo(turn, index + 1 < lines.length ? `${line}\n` : line);
    else await found[1](turn, found[0].exec(line)?.[1] ?? '');
  }
  return turn.said;
}

async function say(turn: EchoTurn, text: string): Promise<void> {
  turn.said += text;
  await turn.voice.update(chunk('agent_message_chunk', text));
}

async function echo(turn: EchoTurn, text: string): Promise<void> {
  const characters = Array.from(text);
  const length = Math.max(1, Math.ceil(characters.length / chunksPerLine));
  for (let from = 0; from < characters.length; from += length)
    await say(turn, characters.slice(from, from + length).join(''));
}

async function sayWords(turn: EchoTurn, count: string): Promise<void> {
  if (Number(count) > wordsMax) throw new EchoFailure(`${wordsMax} words are the most I can say`);
  for (let number = 1; number <= Number(count); number += 1)
    await say(turn, `${number === 1 ? '' : ' '}word-${number}`);
}

async function showPlan(turn: EchoTurn, list: string): Promise<void> {
  const entries = list
    .split(/, */)
    .map((content) => ({ content, priority: 'medium', status: 'pending' }));
  await turn.voice.update({ sessionUpdate: 'plan', entries });
}

async function runTool(
  turn: EchoTurn,
  title: string,
  work: (toolCall: JsonObject) => Promise<boolean>,
): Promise<void> {
  turn.toolCalls += 1;
  const toolCallId = `tool-${turn.toolCalls}`;
  const toolCall = { toolCallId, title, kind: 'execute', status: 'pending' };
  await turn.voice.update({ sessionUpdate: 'tool_call', ...toolCall });
  const status = (await work(toolCall)) ? 'completed' : 'failed';
  await turn.voice.update({ sessionUpdate: 'tool_call_update', toolCallId, status });
}

async function askPermission(turn: EchoTurn, title: string): Promise<void> {
  const options = [
    { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
  await runTool(turn, title, async (toolCall) => {
    const answer = await turn.voice.ask('session/request_permission', { toolCall, options });
    const chosen = part(part(answer['result'], 'outcome'), 'optionId');
    await say(turn, `${title}: ${typeof chosen === 'string' ? chosen : 'no answer'}\n`);
    return chosen === 'allow';
  });
}

async function askQuestion(turn: EchoTurn, message: string): Promise<void> {
  const properties = { value: { type: 'string', title: message } };
  const requestedSchema = { type: 'object', properties, required: ['value'] };
  const params = { mode: 'form', message, requestedSchema };
  const answer = await turn.voice.ask('elicitation/create', params);
  const value = part(part(answer['result'], 'content'), 'value');
  await say(turn, `${message}: ${typeof value === 'string' ? value : 'no answer'}\n`);
}

async function runTerminal(turn: EchoTurn, line: string, isKilled: boolean): Promise<void> {
  const { voice } = turn;
  const made = await voice.ask('terminal/create', { command: '/bin/sh', args: ['-c', line] });
  const terminalId = part(made['result'], 'terminalId');
  if (typeof terminalId !== 'string') {
    await say(turn, `${JSON.stringify(made['error'])}\n`);
    return;
  }
  if (isKilled) await voice.ask('terminal/kill', { terminalId });
  const { result: exit } = await voice.ask('terminal/wait_for_exit', { terminalId });
  const { result: shown } = await voice.ask('terminal/output', { terminalId });
  await voice.ask('terminal/release', { terminalId });
  await say(turn, `${JSON.stringify({ exit, shown })}\n`);
}

function part(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? value[key] : undefined;
}

function chunk(sessionUpdate: string, text: string): JsonObject {
  return { sessionUpdate, content: { type: 'text', text } };
}
