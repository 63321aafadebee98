/*
 * The least that could be done with an agent's updates: the protocol's own client on the agent's pipes, which prints them. No journal, no
 * database, no socket; it ends with its process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';

/* `bytesAtNs`: when the client gave it to us. */
export type PieceListener = (text: string, bytesAtNs: bigint) => void;

/* One turn with this prompt, from a new agent. Milliseconds from the prompt to its end. */
export async function bareTurn(
  agent: string,
  prompt: string,
  listener: PieceListener = () => {},
): Promise<number> {
  const child = spawn(agent, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const printed = createWriteStream('/dev/null');
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  let tookMs = 0;
  await client()
    .onNotification('session/update', ({ params: { update } }) => {
      if (update.sessionUpdate !== 'agent_message_chunk' || update.content.type !== 'text') return;
      printed.write(update.content.text);
      listener(update.content.text, process.hrtime.bigint());
    })
    .connectWith(ndJsonStream(Writable.toWeb(child.stdin), input), async (context) => {
      await context.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await context.request('session/new', { cwd: '/', mcpServers: [] });
      const sinceNs = process.hrtime.bigint();
      await context.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'text', text: prompt }],
      });
      tookMs = Number(process.hrtime.bigint() - sinceNs) / 1e6;
    });
  child.stdin.end();
  await closed;
  printed.end();
  return tookMs;
}
