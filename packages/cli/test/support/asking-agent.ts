/*
 * An agent that asks and is gone, and a person who decides at a terminal.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor, openApprovals, readLineage } from '@clawdfather/supervisor';
import {
  agentPolicy,
  createAllowlist,
  createGatekeeper,
  createStarterReach,
  createTools,
  type RequesterMark,
} from '@clawdfather/tools';
import { type CliRig, launcherPath } from './cli-process.ts';

/* Inside a run nobody may decide (WD2), and without `script` there is no terminal to decide at. */
export const skip = !existsSync('/usr/bin/script')
  ? 'script is not installed'
  : readLineage(process.pid).some(({ comm }) => comm.startsWith('clawdfather-shi'))
    ? 'these tests run inside a run'
    : false;

interface Asked {
  readonly approvalId: string;
  readonly runId: string;
  /* A file that the command makes. */
  readonly made: string;
}

interface Parts {
  readonly requesterMarks?: readonly RequesterMark[];
  readonly command?: string;
  /* Of a gateway; the machine's own by default. */
  readonly account?: string;
  /* It leaves when this file is there. */
  readonly staysFor?: string;
}

/* An agent asks and is gone: nobody but the command line can start it. */
export async function ask(rig: CliRig, parts: Parts = {}): Promise<Asked> {
  const clock = createSystemClock();
  const random = createSystemRandom();
  const made = join(rig.stateDir, `made-${random.id()}`);
  const supervisor = await createSupervisor({ stateDir: rig.stateDir, launcher: 'direct' });
  const store = await openApprovals({ stateDir: rig.stateDir });
  const { requesterMarks = [] } = parts;
  const allowlist = createAllowlist(store);
  const policy = agentPolicy;
  const reach = createStarterReach({ home: undefined, ours: [rig.stateDir] });
  const gatekeeperParts = { store, allowlist, reach, clock, random, policy, requesterMarks };
  const gatekeeper = createGatekeeper(gatekeeperParts);
  const baseEnvironment = { PATH: '/usr/bin:/bin', HOME: rig.stateDir };
  const tools = createTools({
    supervisor,
    gatekeeper,
    clock,
    random,
    log: silentLog,
    users: { of: () => undefined },
    baseEnvironment,
  });
  const what = parts.command === undefined ? { argv: ['touch', made] } : { command: parts.command };
  const { signal } = new AbortController();
  const { account = 'local' } = parts;
  const call = { signal, requester: 'mcp:test', account, sessionId: 'session' };
  const result = await tools.exec(what, call);
  const { staysFor } = parts;
  while (staysFor !== undefined && !existsSync(staysFor)) await clock.sleep(20);
  await tools.close();
  await store.close();
  await supervisor.close();
  assert.equal(result.status, 'approval-pending');
  return { approvalId: result.approvalId, runId: result.runId, made };
}

interface Told {
  readonly code: number | null;
  readonly text: string;
}

/* The command at a terminal of its own, as a person has it. */
export function decideAt(rig: CliRig, ...args: string[]): Promise<Told> {
  const words = [process.execPath, launcherPath, ...args].map((word) => `'${word}'`);
  return told(rig, ['script', '-qec', words.join(' '), '/dev/null']);
}

export async function told(
  rig: CliRig,
  [program, ...args]: readonly [string, ...string[]],
): Promise<Told> {
  const child = spawn(program, args, {
    env: { ...rig.env, TERM: 'dumb', SHELL: '/bin/sh' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without the terminal that these tests may have been started at.
    detached: true,
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

export function lines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
