/*
 * Whether the kernel can confine what agents run unasked to their working tree (docs/approvals.md). Nothing breaks without it: people
 * are asked more often.
 */
import type { ConfinementSupport } from '@clawdfather/supervisor';
import type { Finding } from './finding.ts';

/* From these versions of the interface on, Landlock also refuses TCP, and signals to processes outside. */
const tcpVersion = 4;
const signalVersion = 6;

export function checkConfinement({
  landlock,
  why,
}: Pick<ConfinementSupport, 'landlock' | 'why'>): Finding {
  const check = 'confinement';
  if (landlock === 0) {
    return {
      check,
      status: 'warn',
      summary: `no Landlock (${why ?? 'unknown'}): whatever agents want to read is asked about`,
      advice:
        'It needs Linux 5.13 or newer with landlock among its security modules; in a container, a seccomp profile that lets its calls through.',
    };
  }
  const lacking = [
    ...(landlock < tcpVersion ? ['TCP'] : []),
    ...(landlock < signalVersion ? ['signals and abstract sockets'] : []),
  ];
  const gap = lacking.length === 0 ? '' : `; it is too old to refuse ${lacking.join(' and ')}`;
  return {
    check,
    status: 'ok',
    summary: `Landlock, version ${landlock} of its interface, confines what agents run unasked to the working tree${gap}`,
  };
}
