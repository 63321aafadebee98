/*
 * What the gateway is compared with: Fastify and `node:sqlite` with the same query, and nothing else. No guards, no tokens, no
 * validation, no traces.
 */
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { fastify } from 'fastify';

const [path = '', accountId = ''] = process.argv.slice(2);
const database = new DatabaseSync(path, { readOnly: true });
const select = database.prepare(
  'SELECT idle_timeout_ms, notifications_json FROM settings WHERE account_id = ?',
);

const server = fastify();
server.get('/api/v1/settings', async () => {
  const row = select.get(accountId);
  return {
    idle_timeout_seconds: Number(row?.['idle_timeout_ms'] ?? 0) / 1000,
    notifications: JSON.parse(String(row?.['notifications_json'] ?? '{}')),
  };
});
await server.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
