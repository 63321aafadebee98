/*
 * How `clf mcp` ends, and what it writes where. Whatever ends it, runs go on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeMessage } from '@clawdfather/testkit';
import { createCliRig } from '../support/cli-process.ts';
import { openPolicy, startBare } from '../support/mcp-rig.ts';

function exec(id: number, args: object): object {
  const params = { name: 'exec', arguments: args };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

const endings = {
  'the end of stdin': (server: ReturnType<typeof startBare>) => server.closeInput(),
  SIGTERM: (server: ReturnType<typeof startBare>) => server.signal('SIGTERM'),
  SIGHUP: (server: ReturnType<typeof startBare>) => server.signal('SIGHUP'),
  'nobody reading stdout': (server: ReturnType<typeof startBare>) => {
    server.closeOutput();
    // A closed pipe shows at the next write.
    server.send({ jsonrpc: '2.0', id: 90, method: 'ping' });
    server.send({ jsonrpc: '2.0', id: 91, method: 'ping' });
  },
};

for (const [name, end] of Object.entries(endings)) {
  test(`${name} ends the server with success and leaves runs alone, waited for or not`, async (t) => {
    const cli = createCliRig(t);
    const server = startBare(t, cli, openPolicy);
    server.send(initializeMessage);
    await server.answer(1);
    server.send(exec(2, { command: 'sleep 1000', background: true }));
    await server.answer(2);
    server.send(exec(3, { command: 'sleep 1000', yieldMs: 120_000 }));
    while ((await cli.live()).length < 2);
    end(server);
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    assert.equal((await cli.live()).length, 2);
  });
}

test('stdout carries nothing but the protocol; the log goes to stderr as JSON', async (t) => {
  const cli = createCliRig(t);
  const server = startBare(t, cli, openPolicy);
  server.send(initializeMessage);
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  server.send(exec(2, { command: 'echo out; echo err >&2' }));
  server.send(exec(3, { cmd: 'wrong' }));
  server.send({ jsonrpc: '2.0', id: 4, method: 'no/such/method' });
  for (const id of [1, 2, 3, 4]) await server.answer(id);
  server.closeInput();
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  for (const line of server.stdout) {
    assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, '2.0');
  }
  assert.ok(server.stderr.length > 0);
  for (const line of server.stderr) {
    assert.equal(typeof (JSON.parse(line) as { event: unknown }).event, 'string', line);
  }
});

test('a directory that is none is a mistake of the caller', async (t) => {
  const cli = createCliRig(t);
  const { code, stderr } = await cli.clfWith({ input: '' }, 'mcp', '--workdir', '/no/such/place');
  assert.notEqual(code, 0);
  assert.match(stderr, /is not a directory/);
});
