/*
 * The bundle, as people install it: a gateway of it answers, also what it loads only when somebody asks. Joining files changes how
 * a CommonJS package looks to an `import()`, which no test of the sources can see.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

test('a gateway from the bundle answers, exports metrics and sends spans', async (context) => {
  await promisify(execFile)(process.execPath, [path('../bundle.ts')]);
  const home = await mkdtemp(join(tmpdir(), 'clf-bundle-'));
  context.after(() => rm(home, { recursive: true }));

  const sent: string[] = [];
  const collector = createServer((request, response) => {
    sent.push(request.url ?? '');
    request.resume();
    response.end('{}');
  }).listen(0, '127.0.0.1');
  context.after(() => collector.close());
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;

  const gateway = spawn(
    process.execPath,
    [
      path('../../../packages/cli/bin/clawdfather.cjs'),
      'serve',
      '--listen',
      '127.0.0.1:0',
      '--no-qr',
    ],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        XDG_STATE_HOME: home,
        XDG_CONFIG_HOME: home,
        CLAWDFATHER_FROM: 'bundle',
        CLAWDFATHER_GATEWAY_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const ended = once(gateway, 'exit');
  context.after(() => gateway.kill());
  let url: string | undefined;
  for await (const line of createInterface({ input: gateway.stdout })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  assert.ok(url !== undefined, 'it never said where it listens');
  const health = await fetch(`${url}/health`);
  assert.equal(health.status, 200);
  const metrics = await fetch(`${url}/metrics`);
  assert.equal(metrics.status, 200);
  assert.match(await metrics.text(), /^clawdfather_active_sessions 0$/m);
  gateway.kill();
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual([...new Set(sent)], ['/v1/traces']);
});

test('the bundle reads a config file, and says what is wrong with one', async (context) => {
  const home = await mkdtemp(join(tmpdir(), 'clf-bundle-'));
  context.after(() => rm(home, { recursive: true }));
  const file = join(home, 'clawdfather', 'config.jsonc');
  await mkdir(join(home, 'clawdfather'), { mode: 0o700 });
  const check = async (text: string): Promise<string> => {
    await writeFile(file, text, { mode: 0o600 });
    const program = path('../../../packages/cli/bin/clawdfather.cjs');
    const env = { HOME: home, XDG_CONFIG_HOME: home, CLAWDFATHER_FROM: 'bundle' };
    const checking = promisify(execFile)(process.execPath, [program, 'config', 'check'], { env });
    const { stdout, stderr } = await checking.catch((error) => error);
    return `${stdout}${stderr}`;
  };
  assert.match(await check('{ /* nothing yet */ }'), /is well/);
  assert.match(await check('{ "gateway": { "lisen": "x" } }'), /lisen/);
});
