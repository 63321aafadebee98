/*
 * A request that is taken back is written down as a denial by whoever asked.
 */
export const withdrawnReason = 'withdrawn';

/* Whoever asked took it back: nobody decided. */
export function isWithdrawn(approval: {
  readonly requester: string;
  readonly decidedBy: string | undefined;
  readonly reason: string | undefined;
}): boolean {
  const { requester, decidedBy, reason } = approval;
  return decidedBy === requester && reason === withdrawnReason;
}
