/*
 * `/mcp` in the official inspector: the tools are listed without a finding of its strict mode, and called, in both eras.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fetchExternal } from '@clawdfather/testkit';
import { type McpRig, openMcpRig } from './rig.ts';

interface Inspected {
  readonly code: number;
  readonly result: Record<string, unknown>;
  readonly stderr: string;
}

async function inspect(rig: McpRig, token: string, flags: readonly string[]): Promise<Inspected> {
  const place = await fetchExternal('inspector');
  const launcher = join(
    place,
    'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  );
  const header = ['--header', `Authorization: Bearer ${token}`];
  const target = ['--transport', 'http', '--server-url', rig.url.href];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [launcher, '--cli', '--format', 'json', ...target, ...flags, ...header],
      { env: { ...process.env, HOME: rig.gateway.directory } },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code);
        try {
          const { result } = JSON.parse(stdout) as { result: Inspected['result'] };
          resolve({ code, result, stderr });
        } catch {
          reject(new Error(`exit code ${code}: ${stdout}${stderr}`));
        }
      },
    );
  });
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
