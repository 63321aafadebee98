/*
 * A socket between ssh and a signer that sees, and may change, each message of ssh: the attacker who records and replays.
 */
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createFrameReader, formatFrame } from '../../src/signer/frames.ts';

export type Change = (message: Buffer) => Buffer;

export async function openRelay(
  context: TestContext,
  path: string,
  { signerPath, change }: { readonly signerPath: string; readonly change: Change },
): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const signer = createConnection(signerPath);
    for (const socket of [client, signer]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        signer.destroy();
      });
    }
    signer.pipe(client);
    const frames = createFrameReader(65_536);
    client.on('data', (bytes: Buffer) => {
      for (const message of frames.push(bytes) ?? []) signer.write(formatFrame(change(message)));
    });
  });
  server.listen(path);
  await once(server, 'listening');
  context.after(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
}
