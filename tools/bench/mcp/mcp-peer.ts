/*
 * Somebody who runs a trivial command on request and says when it is over: our server and desktop-commander, each behind the protocol's
 * own client on stdio, and a bare child_process.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchExternal } from '@clawdfather/testkit';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const mcpPeerNames = ['clf mcp', 'child_process', 'desktop-commander'] as const;
export type McpPeerName = (typeof mcpPeerNames)[number];

export interface McpPeer extends AsyncDisposable {
  readonly contender: McpPeerName;
  readonly runOnce: () => Promise<void>;
}

/* The same for all: a shell that does nothing. */
const line = 'true';
const shell = '/bin/sh';
/* Longer than it ever takes: desktop-commander returns when the command ends, or then. */
const patienceMs = 10_000;

export async function openMcpPeer(contender: McpPeerName, dir: string): Promise<McpPeer> {
  switch (contender) {
    case 'clf mcp':
      return openOurs(dir);
    case 'child_process':
      return { contender, runOnce: spawnBare, [Symbol.asyncDispose]: async () => {} };
    case 'desktop-commander':
      return openDesktopCommander(dir);
  }
}

async function openOurs(dir: string): Promise<McpPeer> {
  const launcher = fileURLToPath(
    new URL('../../../packages/cli/bin/clawdfather.cjs', import.meta.url),
  );
  const client = await connect(
    [launcher, 'mcp', '--security', 'full', '--ask', 'off', '--state-dir', join(dir, 'state')],
    baseEnv(dir),
  );
  return {
    contender: 'clf mcp',
    runOnce: async () => {
      const result = await client.callTool({ name: 'exec', arguments: { command: line } });
      const { exitCode } = result.structuredContent as { readonly exitCode?: number };
      if (exitCode !== 0) throw new Error(`not done: ${JSON.stringify(result)}`);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/*
 * With a home of its own, and told in both ways it knows not to report to its makers, which would only slow it down. Its events
 * are put together all the same, with a `python3 --version` each; that is part of what a call of it costs.
 */
async function openDesktopCommander(dir: string): Promise<McpPeer> {
  const place = await fetchExternal('desktop-commander');
  const program = join(place, 'node_modules/@wonderwhy-er/desktop-commander/dist/index.js');
  const env = { ...baseEnv(dir), DESKTOP_COMMANDER_DISABLE_TELEMETRY: '1' };
  mkdirSync(join(dir, '.claude-server-commander'));
  writeFileSync(
    join(dir, '.claude-server-commander', 'config.json'),
    JSON.stringify({ telemetryEnabled: false, blockedCommands: [], allowedDirectories: [] }),
  );
  const client = await connect([program, '--no-onboarding'], env);
  const args = { command: line, shell, timeout_ms: patienceMs };
  return {
    contender: 'desktop-commander',
    runOnce: async () => {
      const result = await client.callTool({ name: 'start_process', arguments: args });
      if (result.isError === true) throw new Error(`not done: ${JSON.stringify(result)}`);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function spawnBare(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(shell, ['-c', line], { stdio: 'pipe' });
  child.stdout.resume();
  child.stderr.resume();
  child.on('error', reject);
  child.on('close', (code) => {
    if (code === 0) resolve();
    else reject(new Error(`not done: exit code ${String(code)}`));
  });
  return promise;
}

async function connect(args: string[], env: Record<string, string>): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}

function baseEnv(dir: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: dir, LANG: 'C.UTF-8' };
}
