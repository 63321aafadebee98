/*
 * The least that Fastify can be: one route, nothing else. What a start is compared with.
 */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';

const server = fastify();
server.get('/', async () => 'here');
await server.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`);
