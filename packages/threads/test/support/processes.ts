/*
 * Real processes beside those of agents, and what lives.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { createProcProcessTable } from '@clawdfather/supervisor';

const table = createProcProcessTable();

/* A zombie is dead. */
export function lives(pid: number): boolean {
  const reading = table.read(pid);
  return reading.kind === 'found' && !reading.isZombie;
}

export function startTicksOf(pid: number): number {
  const reading = table.read(pid);
  assert.equal(reading.kind, 'found');
  return reading.stat.startTicks;
}

/* A process of somebody else's. It ends with the test. */
export async function startStranger(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child: ChildProcess = spawn('/bin/sleep', ['infinity'], { env, stdio: 'ignore' });
  await once(child, 'spawn');
  const gone = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  assert.ok(child.pid);
  return child.pid;
}
