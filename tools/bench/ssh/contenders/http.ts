/*
 * Through a gateway in a process of its own: a request with a token, the decision, the host's session, the run, its output and its
 * code in the answer. With the queue of 8 places that every host has.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '@clawdfather/kit';
import { createJsonClient, type JsonClient } from '../../gateway/accounts/json-client.ts';
import { startServer } from '../../gateway/server-process.ts';
import type { World } from '../world.ts';
import { createHere, type SshContender } from './contender.ts';

const http = 'HTTP';

type Json = Readonly<Record<string, unknown>>;

const connectionsMax = 32;
const runBody = JSON.stringify({ host: 'bench', argv: ['true'], yieldMs: 25_000 });

export async function openHttp(scope: Scope, { directory, sshd }: World): Promise<SshContender> {
  const state = join(directory, 'gateway');
  mkdirSync(state, { mode: 0o700 });
  const server = scope.use(await startServer('./our-server.ts', [state]));
  const { url = '', token = '' } = server.said;
  const client = createJsonClient(url, token, connectionsMax);
  scope.defer(() => client.close());
  const { key } = (await post(client, 'keys', { label: 'bench' })) as { readonly key: Json };
  sshd.authorize(String(key['public_key']));
  const made = await post(client, 'connections', {
    label: 'bench',
    host: sshd.host,
    port: sshd.port,
    username: sshd.user,
    keypair_id: key['id'],
  });
  const { id } = made['connection'] as Json;
  const tested = await post(client, `connections/${String(id)}/test`, { accept_host_key: true });
  if (tested['result'] !== 'ok') throw new Error(`the test says ${JSON.stringify(tested)}`);
  const opened = await post(client, 'sessions', { connection_id: id });
  const session = opened['session'] as Json;
  // The master outlives its gateway.
  scope.defer(
    async () => void (await client.call('DELETE', path(`sessions/${String(session['id'])}`))),
  );
  return createHere(http, async () => {
    const { status, text } = await client.call('POST', path('runs'), runBody);
    if (status === 201 && (JSON.parse(text) as Json)['exitCode'] === 0) return;
    throw new Error(`the gateway answered ${status}: ${text}`);
  });
}

async function post(client: JsonClient, name: string, body: object): Promise<Json> {
  const { status, text } = await client.call('POST', path(name), JSON.stringify(body));
  if (status >= 300) throw new Error(`${name} answered ${status}: ${text}`);
  return JSON.parse(text) as Json;
}

function path(name: string): string {
  return `/api/v1/${name}`;
}
