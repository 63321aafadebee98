/*
 * `clf mcp` in the official inspector: the tools are listed without a finding of its strict mode, and called, in both eras.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inspectMcpServer } from '@clawdfather/testkit';
import { createCliRig, launcherPath } from '../support/cli-process.ts';
import { eras, openPolicy } from '../support/mcp-rig.ts';

function inspect(t: TestContext, flags: readonly string[]) {
  const { env, stateDir } = createCliRig(t);
  const server = [process.execPath, launcherPath, 'mcp', ...openPolicy];
  // The inspector hands the server a short list of variables and those named here.
  const named = ['-e', `CLAWDFATHER_STATE_DIR=${stateDir}`];
  return inspectMcpServer([...named, ...flags, ...server], env);
}

for (const era of eras) {
  test(`${era}: tools/list --strict has no finding`, async (t) => {
    const { code, result, stderr } = await inspect(t, [
      '--protocol-era',
      era,
      '--method',
      'tools/list',
      '--strict',
    ]);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /portab|warning|error/i);
    const names = (result['tools'] as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, ['exec', 'process']);
  });

  test(`${era}: tools/call runs a command`, async (t) => {
    const { code, result } = await inspect(t, [
      '--protocol-era',
      era,
      '--method',
      'tools/call',
      '--tool-name',
      'exec',
      '--tool-args-json',
      '{"command":"echo inspected"}',
    ]);
    assert.equal(code, 0);
    assert.match(JSON.stringify(result['content']), /inspected/);
    assert.equal((result['structuredContent'] as { exitCode: number }).exitCode, 0);
  });
}
