/*
 * The least that can be done: a command's pipe, and every piece of it sent to every socket with plain `ws`. Nothing is kept, and
 * nobody is waited for.
 */
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const [...argv] = process.argv.slice(2);
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (client) => {
  client.on('message', () => {
    const [program = '', ...args] = argv;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.write('go\n');
    child.stdout.on('data', (chunk: Buffer) => {
      for (const each of server.clients) each.send(chunk);
    });
    child.stdout.on('end', () => {
      for (const each of server.clients) each.close();
    });
  });
});
server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.once('SIGTERM', () => process.exit());
