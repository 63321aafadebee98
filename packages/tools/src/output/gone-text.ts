/*
 * The sentences about ends that neither the command nor a caller brought about: the kernel, the machine, or nobody knows. The tools
 * and the command line say them in the same words.
 */
import type { TerminationReason } from '@clawdfather/kit';

export type GoneReason = Extract<
  TerminationReason,
  'out-of-memory' | 'host-rebooted' | 'container-restarted' | 'reconciled-stale' | 'unknown'
>;

/* `why`: the evidence, with its colon, or nothing. */
export function formatGone(reason: GoneReason, why: string): string {
  switch (reason) {
    case 'out-of-memory':
      return `killed by the kernel: out of memory${why}`;
    case 'host-rebooted':
      return 'gone: the host was rebooted';
    case 'container-restarted':
      return 'gone: its container was restarted';
    case 'reconciled-stale':
    case 'unknown':
      // The cause first: a column has room for little more.
      return why === '' ? 'lost, and how it ended is not known' : `lost${why}`;
  }
}
