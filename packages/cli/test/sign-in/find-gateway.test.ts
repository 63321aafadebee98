/*
 * A gateway that is named by an address without http:// is told how an address is written.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { runCli } from '../../src/cli.ts';
import { readCaller } from '../../src/config.ts';
import { createFakeIo, createFakeTerminal } from '../support/fake-io.ts';

async function call(...argv: string[]) {
  const terminal = createFakeTerminal({ cols: 80, rows: 24 });
  const io = createFakeIo({ terminal });
  const caller = readCaller({ argv, env: { HOME: '/h' }, cwd: '/', pid: 1, umask: 0o022 });
  const deps = { caller, io, clock: createFakeClock(), random: createSeededRandom(1) };
  const status = await runCli(deps);
  return { code: status.kind === 'code' ? status.code : -1, out: io.out(), err: io.err() };
}

test('an address without its beginning is told with it', async () => {
  const rows = [
    ['127.0.0.1:9555', 'http://127.0.0.1:9555'],
    ['localhost:9555', 'http://localhost:9555'],
    ['[::1]:9555', 'http://[::1]:9555'],
    ['clawd.example.org', 'https://clawd.example.org'],
    ['box:8420', 'https://box:8420'],
  ] as const;
  for (const [typed, meant] of rows) {
    const { code, err } = await call('ps', '-g', typed);
    assert.equal(code, 125);
    assert.ok(err.includes(`Did you mean ${meant}?`), err);
  }
  assert.match((await call('ps', '-g', 'home')).err, /Sign in to it by its address/);
});

test('login asks for no secret where nothing answers, or something else does', async (context) => {
  const closed = await addressOf(context, { isOpen: false });
  const nobody = await call('login', closed);
  assert.equal(nobody.code, 125);
  assert.ok(nobody.err.startsWith(`clf: nothing answers at ${closed}\n`), nobody.err);
  assert.doesNotMatch(nobody.err, /Login link or token/);
  const other = await addressOf(context, { isOpen: true });
  const page = await call('login', other);
  assert.ok(page.err.startsWith(`clf: what answers at ${other} is no gateway`), page.err);
  assert.doesNotMatch(page.err, /Login link or token/);
});

/* Of a server that answers with a page, or of one that is gone. */
async function addressOf(context: TestContext, { isOpen }: { isOpen: boolean }): Promise<string> {
  const server = createServer((_request, response) => response.end('<h1>It works!</h1>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (isOpen) context.after(() => server.close());
  else await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
