/*
 * The shield at a gateway: what a token starts over HTTP and over MCP, with every command allowed, finds neither the owner's token nor
 * a way to decide; what the owner starts on a device has no shield.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { createGatewayRig } from '../support/gateway-rig.ts';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const isRoot = process.getuid?.() === 0;
const skip = !(landlock >= 6 && hasNamespaces && isRoot) && 'needs root and the whole shield';

test('a token whose commands are all allowed reads no token of the owner, over HTTP and MCP', {
  skip,
  timeout: 120_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const home = mkdtempSync('/var/lib/clf-shield-');
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'project');
  mkdirSync(project);
  Object.assign(rig.env, {
    HOME: home,
    CLAWDFATHER_STATE_DIR: join(home, '.local/state/clawdfather'),
    XDG_CONFIG_HOME: join(home, '.config'),
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_GATEWAY_DIRECTORY: project,
  });
  const { url } = await rig.serve();
  assert.equal((await rig.clf('login')).code, 0);
  const token = (await rig.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout.trim();
  const health = (await (await fetch(new URL('/health', url))).json()) as { shield: string };
  assert.equal(health.shield, 'full');

  const secrets = join(home, '.config/clawdfather/gateways.json');
  const lines = [
    `cat ${secrets}`,
    `cat ${home}/.local/state/clawdfather/master-keys/1.key | base64`,
    `cat ${home}/.local/state/clawdfather/control.db | grep -ac clf_`,
    `grep -rs clf_ ${home}/.config ${home}/.local; ls ${home}/.local/state/clawdfather`,
  ];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const overHttp = async (command: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(new URL('/api/v1/runs', url), {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify({ command, yieldMs: 20_000 }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const overMcp = async (command: string): Promise<string> => {
    const call = { name: 'exec', arguments: { command } };
    const answer = await fetch(new URL('/mcp', url), {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'exec',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          ...call,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    return answer.text();
  };
  for (const line of lines) {
    const said = await overHttp(line);
    assert.equal(said['status'], 'completed', JSON.stringify(said));
    assert.match(String(said['output']), /No such file|^0\n$|^$/, line);
    const text = await overMcp(line);
    assert.match(text, /Exit code|No such file/, line);
    assert.doesNotMatch(text, /clf_[A-Za-z0-9_-]{20}/, line);
  }
  const own = await rig.clf('run', '-g', url, '--', 'cat', secrets);
  assert.match(own.stdout, /clf_/, 'a person reads it, on a device of theirs');
  const asked = await rig.clf('run', '-g', url, '--shield', '--', 'cat', secrets);
  assert.match(asked.stderr, /No such file/, 'unless they asked for a shield');
});
