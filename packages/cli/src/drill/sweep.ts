/*
 * What cleans up after a drill: a process that reads from the drill until its end, whichever that is, and then ends all that the drill has
 * started and removes its directory. A drill that cleaned up by itself would leave a gateway behind when it is killed.
 */
import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { isProcessAlive } from '@clawdfather/supervisor/alive';

/* A line of JSON of the drill: a gateway that it has started. */
export interface SweptProcess {
  readonly pid: number;
  readonly startTicks: number;
}

export const drillDirPrefix = 'clf-drill-';
const lookMs = 10;

export interface SweepDeps {
  readonly sleep: (ms: number) => Promise<void>;
}

export async function sweepAfterDrill(dir: string, { sleep }: SweepDeps): Promise<void> {
  // It removes a directory, so it removes no other.
  if (!basename(dir).startsWith(drillDirPrefix)) return;
  const gateways: SweptProcess[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    gateways.push(JSON.parse(line) as SweptProcess);
  }
  for (const gateway of gateways) {
    if (isProcessAlive(gateway)) process.kill(gateway.pid, 'SIGKILL');
    while (isProcessAlive(gateway)) await sleep(lookMs);
  }
  const stateDir = join(dir, 'state');
  if (existsSync(join(stateDir, 'runs'))) await endRuns(stateDir);
  rmSync(dir, { recursive: true, force: true });
}

async function endRuns(stateDir: string): Promise<void> {
  const { createSupervisor } = await import('@clawdfather/supervisor');
  await using stack = new AsyncDisposableStack();
  const supervisor = await createSupervisor({ stateDir, launcher: 'direct' });
  stack.defer(() => supervisor.close());
  for (const { runId, treeEndedAtMs } of supervisor.list()) {
    if (treeEndedAtMs !== undefined) continue;
    const run = await supervisor.attach(runId);
    await run.cancel();
    await run.waitTree();
  }
}
