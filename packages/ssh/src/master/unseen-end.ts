/*
 * Why a live master ended while no gateway was there to see it: from what the supervisor recorded of its run. That is less than a gateway
 * sees, which counts pings; ssh's own limit for a silent host then looks as any other end by itself.
 */
import type { RunExit } from '@clawdfather/supervisor';
import type { MasterCause } from './cause-table.ts';
import { runEndOf } from './master-run.ts';

/* Undefined: there is no record of it, or of its end. */
export function causeOfUnseenEnd(exit: RunExit | undefined): MasterCause {
  if (exit === undefined) return 'master-lost';
  // A gateway asked for it and was killed before it had written down why.
  if (exit.reason === 'manual-cancel') return 'closed';
  const end = runEndOf(exit);
  if (end.kind === 'signal') return 'master-killed';
  return end.kind === 'exit' ? 'host-closed' : 'master-lost';
}
