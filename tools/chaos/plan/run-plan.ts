/*
 * One run of a campaign: what is started and how it has to end.
 *
 *   plain     writes its lines and exits with its code
 *   terminal  the same on a terminal
 *   escapee   leaves a process behind that has left the session; the supervisor has to end it (T4 `fail`)
 *   endless   writes until somebody cancels it, often an owner that did not start it
 */
import { fileURLToPath } from 'node:url';
import type { SpawnInput } from '@clawdfather/supervisor';
import { createChance } from './chance.ts';
import type { WriterPlan } from './lines.ts';

export const runKinds = ['plain', 'terminal', 'escapee', 'endless'] as const;
export type RunKind = (typeof runKinds)[number];

export interface RunPlan {
  readonly runId: string;
  readonly kind: RunKind;
  readonly writer: WriterPlan;
}

export const chaosSession = 'chaos';

const writerPath = fileURLToPath(new URL('../writer.ts', import.meta.url));
const linesMin = 5;
const linesMax = 120;
/* An end for whatever a broken campaign leaves. */
const overallTimeoutMs = 15 * 60 * 1000;

export function planRun(runId: string, seed: number): RunPlan {
  const chance = createChance(seed);
  const kind = runKinds[chance.between(0, runKinds.length - 1)] ?? 'plain';
  const lines = chance.between(linesMin, linesMax);
  const exitCode = chance.between(0, 100);
  const writer = { seed, lines: kind === 'endless' ? undefined : lines, exitCode };
  return { runId, kind, writer };
}

export function spawnInputOf({ runId, kind, writer }: RunPlan): SpawnInput {
  const common = {
    runId,
    sessionId: chaosSession,
    backendId: kind,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    overallTimeoutMs,
    graceMs: 500,
  };
  const program = [process.execPath, writerPath, JSON.stringify(writer)] as const;
  switch (kind) {
    case 'terminal':
      return { ...common, mode: 'pty-argv', argv: program };
    case 'escapee': {
      const script = '(setsid sleep 900 </dev/null >/dev/null 2>&1 &); exec "$@"';
      return { ...common, mode: 'child', argv: ['/bin/sh', '-c', script, 'sh', ...program] };
    }
    case 'plain':
    case 'endless':
      return { ...common, mode: 'child', argv: program };
  }
}
