/*
 * What a run's tree uses, from one scan of the processes.
 *
 * The tree is everything below its shim: orphans come back to it, as it is their
 * subreaper, so processes that ran away into sessions of their own are counted too.
 * Cpu time is counted with that of reaped children, the shim's included; a child's
 * end then moves its time from one number to another, and the sum never falls.
 */
import type { RunRecord } from '../types.ts';
import type { ProcessScan } from './scan-processes.ts';

export interface TreeLoad {
  readonly cpuTicks: number;
  readonly rssPages: number;
  readonly processes: number;
  /* The command's own process is there. */
  readonly hasRoot: boolean;
  readonly isRootStopped: boolean;
}

type Identity = Pick<RunRecord, 'pid' | 'startTicks' | 'shimPid' | 'shimStartTicks'>;

/* Undefined when the shim is gone, or somebody else has its number. */
export function loadOfTree(scan: ProcessScan, run: Identity): TreeLoad | undefined {
  const { shimPid } = run;
  if (shimPid === undefined) return undefined;
  const shim = scan.of(shimPid);
  if (shim === undefined || shim.startTicks !== run.shimStartTicks) return undefined;
  let cpuTicks = shim.childTicks;
  let rssPages = 0;
  let processes = 0;
  let hasRoot = false;
  let isRootStopped = false;
  const queue = [...scan.childrenOf(shimPid)];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const sample = scan.of(pid);
    if (sample === undefined) continue;
    cpuTicks += sample.ownTicks + sample.childTicks;
    queue.push(...scan.childrenOf(pid));
    if (sample.isZombie) continue;
    rssPages += sample.rssPages;
    processes += 1;
    if (pid !== run.pid || sample.startTicks !== run.startTicks) continue;
    hasRoot = true;
    isRootStopped = sample.isStopped;
  }
  return { cpuTicks, rssPages, processes, hasRoot, isRootStopped };
}
