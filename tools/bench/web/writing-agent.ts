/*
 * An agent that writes at a steady pace, as a process that a gateway starts: the prompt "write COUNT every MS" is answered with so many pieces
 * of ordinary Markdown, one each MS milliseconds. Any other prompt is answered at once.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

const paragraph = [
  'The cursor ',
  'is kept ',
  'in the same ',
  '**transaction** ',
  'as the records, ',
  'so `nothing` ',
  'is lost ',
  'and nothing ',
  'is read ',
  'twice. ',
];
const piecesOfParagraph = 40;

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as Message;
  if (id === undefined) continue;
  if (method === 'session/prompt') void write(id, params?.prompt?.[0]?.text ?? '');
  else send({ id, result: resultOf(method) });
}

function resultOf(method: string | undefined): object {
  if (method === 'initialize') return { protocolVersion: 1, agentCapabilities: {} };
  return method === 'session/new' ? { sessionId: 'one' } : {};
}

async function write(id: number | string, prompt: string): Promise<void> {
  const [, count = '1', everyMs = '0'] = /^write (\d+) every (\d+)/.exec(prompt) ?? [];
  const begun = performance.now();
  for (let piece = 0; piece < Number(count); piece += 1) {
    await wait(Math.max(0, begun + piece * Number(everyMs) - performance.now()));
    say(pieceOf(piece));
  }
  say('\n\nEverything is written.');
  send({ id, result: { stopReason: 'end_turn' } });
}

function pieceOf(index: number): string {
  const isNew = index > 0 && index % piecesOfParagraph === 0;
  return `${isNew ? '\n\n' : ''}${paragraph[index % paragraph.length] ?? ''}`;
}

function say(text: string): void {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  send({ method: 'session/update', params: { sessionId: 'one', update } });
}
