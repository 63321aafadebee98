/*
 * Secrets of the caller's environment do not reach an agent's command: real processes, looked at from inside and from
 * /proc.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const canary = 'canary-5f1d0c';

/* Where secrets are found in real life, and names that look as if they were harmless. */
const secrets = {
  AWS_SECRET_ACCESS_KEY: canary,
  ANTHROPIC_API_KEY: canary,
  GITHUB_TOKEN: canary,
  NPM_TOKEN: canary,
  DATABASE_URL: `postgres://u:${canary}@host/db`,
  SSH_AUTH_SOCK: `/tmp/${canary}`,
  PATH_TO_KEY: canary,
  HOME_TOKEN: canary,
  LCX: canary,
  lang: canary,
  'BASH_FUNC_ls%%': `() { echo ${canary}; }`,
  LD_LIBRARY_PATH: `/tmp/${canary}`,
  CLAWDFATHER_LEASE_ID: canary,
};

test('nothing of the environment that the server was started from is in a command of an agent', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'clawdfather-canary-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const program = new URL('../fixtures/agent-exec.ts', import.meta.url).pathname;
  // The whole of each environment: what env prints, and what the kernel has of the shell and of its children.
  const line = 'env; tr "\\0" "\\n" < /proc/self/environ; cat /proc/$$/environ; echo added=$ADDED';
  const args = ['--conditions=@clawdfather/source', program, join(directory, 'state'), line];
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, LANG: 'C.UTF-8', ...secrets };
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  server.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(server, 'close')) as [number | null];
  assert.equal(code, 0);
  assert.match(output, /^PATH=/m);
  assert.match(output, /^HOME=/m);
  assert.match(output, /added=yes/);
  assert.ok(!output.includes(canary), output);
  const names = [...output.matchAll(/^([A-Za-z_]\w*)=/gm)].map(([, name = '']) => name);
  const odd = names.filter((name) => !expectedNames.test(name));
  assert.deepEqual(odd, []);
});

/* The names of a login's environment, what was added, what every run gets, and what a shell sets by itself. */
const expectedNames =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TERM|TMPDIR|XDG_\w+|ADDED|added|CLAWDFATHER_(RUN_ID|LEASE_ID|GATEWAY_INSTANCE_ID)|PWD|OLDPWD|SHLVL|_)$/;
