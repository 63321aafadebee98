/*
 * The check that says most: a run is started, says something, ends, and is
 * forgotten again. It proves the shim, its journal and the registry at once.
 */
import type { Clock } from '@clawdfather/kit';
import type { ManagedRun, Supervisor } from '@clawdfather/supervisor';
import { cliBackend } from '@clawdfather/supervisor/origins';
import { formatDuration } from '../render/duration.ts';
import { forgetRemoved } from '../runs/forget-removed.ts';
import type { Finding } from './finding.ts';

const check = 'self-test';
const word = 'clawdfather';
/* A machine that needs longer than this to start echo is not well. */
const limitMs = 10_000;

export async function runSelfTest(supervisor: Supervisor, clock: Clock): Promise<Finding> {
  const startMs = clock.monotonicMs();
  const run = await supervisor.spawn({
    mode: 'child',
    argv: ['/bin/sh', '-c', `echo ${word}`],
    sessionId: 'doctor',
    backendId: cliBackend,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdin: 'closed',
    overallTimeoutMs: limitMs,
    leftovers: 'end',
  });
  const text = await textOf(run);
  const exit = await run.wait();
  await supervisor.remove(run.runId);
  await forgetRemoved(supervisor);
  const took = formatDuration(clock.monotonicMs() - startMs);
  if (exit.reason === 'exit' && exit.code === 0 && text === `${word}\n`) {
    return { check, status: 'ok', summary: `a run was started, read and ended in ${took}` };
  }
  return {
    check,
    status: 'fail',
    summary: `a run of echo ended with ${exit.reason}, code ${exit.code ?? 'none'}`,
    advice: exit.detail ?? 'Try again with CLAWDFATHER_LOG=debug.',
  };
}

async function textOf(run: ManagedRun): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const event of run.output()) if (event.kind === 'output') pieces.push(event.bytes);
  return Buffer.concat(pieces).toString();
}
