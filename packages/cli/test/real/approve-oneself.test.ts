/*
 * An agent over real MCP that tries to approve itself, to use an approval twice, and to change what was approved. This
 * process is the agent: the server's parent.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { openApprovals } from '@clawdfather/supervisor';
import { createAllowlist, decideApproval } from '@clawdfather/tools';
import type { ToolAnswer } from '@clawdfather/testkit';
import { launcherPath } from '../support/cli-process.ts';
import { type Agent, createMcpRig } from '../support/mcp-rig.ts';

const asked: readonly string[] = ['--security', 'allowlist', '--ask', 'on-miss'];

const skip = existsSync('/usr/bin/script') ? false : 'script is not installed';

/* A person elsewhere, at a terminal that has nothing to do with this process. */
async function allowAsPerson(stateDir: string, approvalId: string): Promise<string> {
  const store = await openApprovals({ stateDir });
  const self = { pid: 7, startTicks: 7, processGroupId: 7, kernelSessionId: 7, comm: 'sh' };
  const outcome = await decideApproval(
    {
      store,
      allowlist: createAllowlist(store),
      clock: createSystemClock(),
      random: createSystemRandom(),
    },
    {
      approvalId,
      decision: 'allow-once',
      by: 'cli:ann',
      decider: { lineage: [self], isAtTerminal: true },
    },
  );
  await store.close();
  return outcome.kind;
}

/* What the agent's own shell tool would start: this line, at a terminal. */
async function agentsShell(line: string, env: Record<string, string>): Promise<string> {
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...env, SHELL: '/bin/sh', TERM: 'dumb' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return text;
}

/* Until it is over, one way or the other. */
async function pollToEnd(agent: Agent, runId: string): Promise<ToolAnswer> {
  for (;;) {
    const answer = await agent.call('process', { action: 'poll', runId, waitMs: 30_000 });
    if (!['running', 'approval-pending'].includes(String(answer.data['status']))) return answer;
  }
}

test('A5: an agent cannot approve itself: by its own shell, by its own runs, or by asking for it', {
  skip,
}, async (t) => {
  const { cli, connect, project } = createMcpRig(t);
  const agent = await connect({ flags: asked });
  const made = join(project, 'made');
  const held = await agent.call('exec', { argv: ['touch', made] });
  assert.equal(held.data['status'], 'approval-pending', held.text);
  const approvalId = String(held.data['approvalId']);
  const state = ['--state-dir', cli.stateDir];
  const clf = [process.execPath, launcherPath, ...state].map((word) => `'${word}'`).join(' ');

  const own = await agentsShell(`${clf} allow ${approvalId}`, cli.env);
  assert.match(own, /approval-refused/);
  const forged = await agentsShell(`env -i ${clf} allow ${approvalId}`, cli.env);
  assert.match(forged, /approval-refused/);

  const asking = await agent.call('exec', { command: `${clf} allow ${approvalId}` });
  assert.equal(asking.data['status'], 'approval-pending');
  // Nor when it may run everything: a server that is wide open, beside the one that asks. In a shield it does not even see the request.
  const open = await connect();
  for (const pty of [true, false]) {
    const told = await open.call('exec', { command: `${clf} allow ${approvalId}`, pty });
    assert.match(told.text, /in-shield/);
    // The variable only makes the text better.
    const command = `env -u CLAWDFATHER_SHIELD ${clf} allow ${approvalId}`;
    const inside = await open.call('exec', { command, pty });
    assert.match(inside.text, /approval-refused|approval-not-found/);
  }
  assert.ok(!existsSync(made));

  // No tool and no action decides.
  for (const action of ['allow', 'approve', 'decide']) {
    const answer = await agent.call('process', { action, runId: held.data['runId'], approvalId });
    assert.ok(answer.isError);
  }
  assert.equal(await allowAsPerson(cli.stateDir, approvalId), 'decided');
  await pollToEnd(agent, String(held.data['runId']));
  assert.ok(existsSync(made));
});

test('an approval cannot be used again, nor for anything else', async (t) => {
  const { cli, connect, project } = createMcpRig(t);
  const agent = await connect({ flags: asked });
  const line = `echo once >>${project}/log`;
  const held = await agent.call('exec', { command: line });
  const runId = String(held.data['runId']);
  assert.equal(await allowAsPerson(cli.stateDir, String(held.data['approvalId'])), 'decided');
  const ended = await pollToEnd(agent, runId);
  assert.equal(ended.data['status'], 'completed', ended.text);
  // The same line asks again: the approval was for one start.
  const again = await agent.call('exec', { command: line });
  assert.equal(again.data['status'], 'approval-pending');
  assert.notEqual(again.data['runId'], runId);
  assert.equal(await allowAsPerson(cli.stateDir, String(held.data['approvalId'])), 'over');
});

test('what was changed after it was shown does not start', async (t) => {
  const { cli, connect } = createMcpRig(t);
  const agent = await connect({ flags: asked });
  const made = join(cli.stateDir, 'made');
  const held = await agent.call('exec', { argv: ['touch', join(cli.stateDir, 'harmless')] });
  const approvalId = String(held.data['approvalId']);
  const db = new DatabaseSync(join(cli.stateDir, 'registry.db'));
  db.exec(`UPDATE approval_bodies SET request = replace(request, 'harmless', 'made'),
    action = replace(action, 'harmless', 'made')`);
  db.close();
  assert.equal(await allowAsPerson(cli.stateDir, approvalId), 'over');
  const polled = await pollToEnd(agent, String(held.data['runId']));
  assert.equal(polled.data['status'], 'denied', polled.text);
  assert.ok(!existsSync(made));
});
