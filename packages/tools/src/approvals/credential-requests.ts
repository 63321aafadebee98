/*
 * What waits and was asked for with a token. Once the token is revoked nobody waits for it any more, and whoever revoked it wants
 * nothing of it to start.
 *
 * What was allowed by then stays allowed: that was a person's decision about the command itself.
 */
import type { Clock } from '@clawdfather/kit';
import type { ApprovalStore } from '@clawdfather/supervisor';
import { waitingOverallMax } from './approval-limits.ts';
import { momentOf } from './approval-record.ts';
import { credentialOf } from './requester.ts';

export interface CredentialRequests {
  /* Of all that wait, each once. */
  credentials(): readonly string[];
  /* Denies what was asked for with it. Resolves to how many that were. */
  deny(
    credential: string,
    denial: { readonly by: string; readonly reason: string },
  ): Promise<number>;
}

export function createCredentialRequests(
  store: ApprovalStore,
  clock: Pick<Clock, 'wallMs'>,
): CredentialRequests {
  const waiting = () =>
    store
      .approvals({ states: ['pending'], limit: waitingOverallMax }, momentOf(store.host, clock))
      .map(({ approvalId, requesterMarks }) => ({
        approvalId,
        credential: credentialOf(requesterMarks),
      }));
  return {
    credentials: () => [...new Set(waiting().flatMap(({ credential }) => credential ?? []))],
    deny: async (credential, { by, reason }) => {
      const theirs = waiting().filter((one) => one.credential === credential);
      if (theirs.length === 0) return 0;
      const change = {
        state: 'denied',
        decision: 'deny',
        decidedBy: by,
        decidedAtMs: clock.wallMs(),
        decisionReason: reason,
      } as const;
      return store.write(
        (tx) =>
          theirs.filter(({ approvalId }) => tx.changeApproval(approvalId, 'pending', change))
            .length,
      );
    },
  };
}
