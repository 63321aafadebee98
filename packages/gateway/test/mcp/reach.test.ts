/*
 * What an agent with a token reads unasked: the directory that the gateway is set to, if that is one that may be read.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { openMcpRig } from './rig.ts';

const { landlock, why } = await readConfinementSupport(shimBinaryPath());
const skip = landlock === 0 && `no Landlock here: ${why}`;
const agentPolicy = { security: 'allowlist', ask: 'on-miss' } as const;

test('in the home directory an agent is asked about what it reads', { skip }, async () => {
  await using rig = await openMcpRig({ runs: { agentPolicy } });
  const { token } = await rig.makeToken();
  await using agent = await rig.connect({ token });
  const read = await agent.call('exec', { command: 'ls' });
  assert.equal(read.data['status'], 'approval-pending');
  const said = await agent.call('exec', { command: 'echo hi' });
  assert.equal(said.data['output'], 'hi\n');
});

test('in a project it reads the project, and neither database nor environment of the gateway', {
  skip,
}, async (t) => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'clf-project-')));
  t.after(() => rmSync(project, { recursive: true }));
  writeFileSync(join(project, 'README'), 'hello\n');
  await using rig = await openMcpRig({ runs: { agentPolicy, directory: project } });
  const { token } = await rig.makeToken();
  await using agent = await rig.connect({ token });
  const read = await agent.call('exec', { argv: ['cat', 'README'] });
  assert.equal(read.data['output'], 'hello\n');
  const { stateDir } = rig.gateway.config;
  for (const path of [
    join(rig.gateway.directory, 'control.db'),
    join(stateDir, 'registry.db'),
    `/proc/${process.pid}/environ`,
  ]) {
    const { data } = await agent.call('exec', { argv: ['head', '-c', '100', path] });
    assert.equal(data['exitCode'], 1, path);
    assert.match(String(data['output']), /^head: .* Permission denied\n$/);
  }
  const { data } = await agent.call('exec', { argv: ['ls'], workdir: stateDir });
  assert.equal(data['status'], 'approval-pending');
});
