/*
 * What does not change about a run while one process looks at it: where it lives and by what right we speak to it.
 */
import type { LeftoversPolicy, RunId } from '../../types.ts';
import type { AskedProgram } from '../spawn/explain-start.ts';

export interface RunIdentity {
  readonly runId: RunId;
  readonly runDir: string;
  readonly cookie: Uint8Array;
  /* Ours; raised only by another owner, and then this identity is over (O3). */
  readonly epoch: number;
  readonly leaseId: string;
  readonly leftovers: LeftoversPolicy;
  /* What is to be started, while it is known: to the process that starts it. */
  readonly asked?: AskedProgram;
}
