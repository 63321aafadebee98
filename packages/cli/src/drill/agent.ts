/*
 * The agent of a drill: a program of ours that speaks as much of ACP as one turn needs, on stdin and stdout.
 *
 * It says half of its answer, tells the drill so through a socket, and says the other half when it is told to go on, which is while no
 * gateway runs. The connection stays open for its whole life: that it is the same process is seen by that too. It ends when the drill is
 * gone, however that ended.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { createAnswer, digestOf } from './answer-text.ts';

export interface AgentParts {
  /* Where the drill listens. */
  readonly socketPath: string;
  readonly seed: string;
}

/* What it tells the drill, a line of JSON each. */
export type AgentNews =
  | { readonly type: 'begun'; readonly pid: number }
  | { readonly type: 'said'; readonly bytes: number; readonly sha256: string };

type Message = Readonly<Record<string, unknown>>;

const methodNotFound = -32_601;

/* Until its input ends. */
export async function speakAsAgent(parts: AgentParts): Promise<void> {
  const drill = connect(parts.socketPath);
  // Without the drill there is nobody to speak to, and nothing to stay for.
  drill.on('close', () => process.stdin.destroy());
  drill.on('error', () => process.stdin.destroy());
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line) as Message;
    // Notifications, and answers to what it never asks.
    if (id === undefined || typeof method !== 'string') continue;
    if (method === 'session/prompt') await answer(parts, drill);
    await send({ id, ...outcomeOf(method) });
  }
  drill.destroy();
}

function outcomeOf(method: string): Message {
  switch (method) {
    case 'initialize':
      return { result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } };
    case 'session/new':
      return { result: { sessionId: 'drill' } };
    case 'session/prompt':
      return { result: { stopReason: 'end_turn' } };
    default:
      return { error: { code: methodNotFound, message: `no method ${method}` } };
  }
}

async function answer({ seed }: AgentParts, drill: Socket): Promise<void> {
  const { pieces } = createAnswer(seed);
  const half = pieces.length / 2;
  tell(drill, { type: 'begun', pid: process.pid });
  for (const piece of pieces.slice(0, half)) await say(piece);
  // The one thing that the drill ever sends.
  await once(drill, 'data');
  for (const piece of pieces.slice(half)) await say(piece);
  tell(drill, { type: 'said', ...digestOf(pieces.join('')) });
}

function say(text: string): Promise<void> {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return send({ method: 'session/update', params: { sessionId: 'drill', update } });
}

async function send(message: Message): Promise<void> {
  const line = `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  if (!process.stdout.write(line)) await once(process.stdout, 'drain');
}

function tell(drill: Socket, news: AgentNews): void {
  drill.write(`${JSON.stringify(news)}\n`);
}
