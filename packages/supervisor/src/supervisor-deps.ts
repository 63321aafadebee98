/*
 * What a supervisor is made from. Only the state directory is needed; everything else has the real thing as default
 * and is named here so that tests and products can bring their own.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { SupervisorObserver } from './events.ts';
import type { ProcessTable } from './evidence/process-table.ts';
import type { ExitExplanation, RunExit } from './run-end.ts';
import type { RetentionPolicy } from './retention/plan-retention.ts';

export type ExplainExit = (exit: RunExit) => Promise<ExitExplanation | undefined> | undefined;

export interface SupervisorDeps {
  /* Absolute; made 0700 when it is not there. Shared by all supervisors of this user on this host. */
  readonly stateDir: string;
  /* `spawnd` (default) for a process that lives long; `direct` for a command that comes and goes (S3). */
  readonly launcher?: 'spawnd' | 'direct';
  /* What to do at start about runs whose owner is gone: `adopt`, or only `record` what has ended. */
  readonly adoption?: 'adopt' | 'record';
  /*
   * When nothing can be written to the state directory: `refuse` (default), or `look`, where runs can be listed, read, ended
   * and removed, and nothing can be started or adopted. What they come to is recorded by the next process that can write.
   */
  readonly whenUnwritable?: 'refuse' | 'look';
  /* What `gc` keeps unless a call says otherwise. Default: a week, 1,000 runs, 10 GB of output. */
  readonly retention?: RetentionPolicy;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly observer?: SupervisorObserver;
  /*
   * Asked before the end of a run of ours is settled, which waits for the answer: it has to come soon. Undefined, and at once, for a
   * run that nobody has to add anything to.
   */
  readonly explainExit?: ExplainExit | undefined;
  /* A delegated cgroup v2 directory; limits of memory and processes need it (E4). */
  readonly cgroupParent?: string | undefined;
  /* Of a run that names none, for a program that has set its own. Default: that of this process. */
  readonly umask?: number | undefined;
  readonly binaryPath?: string;
  readonly shimLogFd?: number | undefined;
  readonly shimEnv?: Readonly<Record<string, string>> | undefined;
  readonly processTable?: ProcessTable;
  readonly platform?: string;
}
