/*
 * A `ws` server that sends the same bytes to whoever connects.
 */
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const [text = ''] = process.argv.slice(2);
const greeting = Buffer.from(text);
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (client) => client.send(greeting));
server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.once('SIGTERM', () => process.exit());
