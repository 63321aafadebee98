/*
 * `/mcp` in the official inspector: the tools are listed without a finding of its strict mode, and called, in both eras.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectMcpServer } from '@clawdfather/testkit';
import { type McpRig, openMcpRig } from './rig.ts';

function inspect(rig: McpRig, token: string, flags: readonly string[]) {
  const header = ['--header', `Authorization: Bearer ${token}`];
  const target = ['--transport', 'http', '--server-url', rig.url.href];
  const env = { ...process.env, HOME: rig.gateway.directory };
  return inspectMcpServer([...target, ...flags, ...header], env);
}

for (const era of ['legacy', 'modern']) {
  test(`${era}: the inspector lists the tools without a finding, and runs a command`, async () => {
    await using rig = await openMcpRig();
    const { token } = await rig.makeToken();
    const listed = await inspect(rig, token, [
      '--protocol-era',
      era,
      '--method',
      'tools/list',
      '--strict',
    ]);
    assert.equal(listed.code, 0, listed.stderr);
    assert.doesNotMatch(listed.stderr, /portab|warning|error/i);
    const names = (listed.result['tools'] as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, ['exec', 'process']);
    const called = await inspect(rig, token, [
      '--protocol-era',
      era,
      '--method',
      'tools/call',
      '--tool-name',
      'exec',
      '--tool-args-json',
      '{"command":"echo inspected"}',
    ]);
    assert.equal(called.code, 0, called.stderr);
    assert.equal((called.result['structuredContent'] as { output: string }).output, 'inspected\n');
  });
}
