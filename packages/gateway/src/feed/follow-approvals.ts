/*
 * Commands that wait for a person, from the registry of this machine into the account's events and notices.
 *
 * What waits there and what the database says to be waiting are compared, and the difference is written. That may happen at any time and
 * any number of times: a notice has the approval's id as its key, and what is written about its end goes with the end of the notice. So a gateway that is
 * killed in between loses nothing and tells nothing twice, and what was decided while none ran is found by the next one. What was asked and
 * decided between two looks was nobody's business.
 *
 * Other gateways of the database have registries of their own; the key names whose it is.
 */
import type { Clock, Log } from '@clawdfather/kit';
import { type AccountId, type AccountNews, parseAccountId, type Store } from '@clawdfather/store';
import type { ApprovalStore, StoredApproval } from '@clawdfather/supervisor';
import { cliAccount, localAccount } from '@clawdfather/supervisor/origins';
import { createFollower, type Follower } from './follower.ts';

export interface FollowApprovalsDeps {
  readonly store: Store;
  readonly approvals: ApprovalStore;
  /* Of this machine's state directory. */
  readonly instanceId: string;
  /* Has what agents on this machine ask for without a gateway. */
  readonly ownerId: AccountId;
  readonly clock: Clock;
  readonly log: Log;
}

/* More cannot wait: accounts have bounds. */
const pendingMax = 1_000;
/* An approval lapses by time alone, which changes nothing in the registry. */
const everyMs = 15_000;

export function followApprovals(deps: FollowApprovalsDeps): Follower {
  const { approvals, clock, log } = deps;
  /* Accounts by approval: what the database says to be waiting. */
  let known: Map<string, AccountId> | undefined;
  const follower = createFollower({
    clock,
    everyMs,
    onFailed: (error) => log.error('notice.unrecorded', { error }),
    work: async () => {
      known ??= await readKnown(deps);
      await compare(deps, known);
    },
  });
  const stop = approvals.watch(() => follower.look());
  follower.look();
  return {
    look: () => follower.look(),
    [Symbol.asyncDispose]: async () => {
      stop();
      await follower[Symbol.asyncDispose]();
    },
  };
}

async function readKnown({ store, instanceId }: FollowApprovalsDeps) {
  const prefix = keyOf(instanceId, '');
  const open = await store.system.notices.openWithKey(prefix);
  return new Map(open.map(({ accountId, key }) => [key.slice(prefix.length), accountId]));
}

async function compare(deps: FollowApprovalsDeps, known: Map<string, AccountId>): Promise<void> {
  const { store, approvals, clock } = deps;
  const { bootId } = approvals.host;
  const now = { bootId, bootMs: approvals.host.bootMs(), wallMs: clock.wallMs() };
  const pending = approvals.approvals({ states: ['pending'], limit: pendingMax }, now);
  const waiting = new Set(pending.map(({ approvalId }) => approvalId));
  // Oldest first.
  for (const approval of pending.toReversed()) {
    const accountId = accountOf(deps, approval);
    if (known.has(approval.approvalId) || accountId === undefined) continue;
    // The registry may know an account that a restored database does not.
    if ((await store.forAccount(accountId).profile.get()) === undefined) continue;
    await store.forAccount(accountId).notices.tell(openedNews(deps, approval));
    known.set(approval.approvalId, accountId);
  }
  for (const [approvalId, accountId] of known) {
    if (waiting.has(approvalId)) continue;
    const news = closedNews(deps, approvalId, approvals.approval(approvalId, now));
    await store.forAccount(accountId).notices.tell(news);
    known.delete(approvalId);
  }
}

/* What a person asks for at a terminal of this machine is shown there; tokens of the owner do not see it. */
function accountOf(
  { ownerId }: FollowApprovalsDeps,
  { account }: StoredApproval,
): AccountId | undefined {
  if (account === cliAccount) return undefined;
  return account === localAccount ? ownerId : parseAccountId(account);
}

function keyOf(instanceId: string, approvalId: string): string {
  return `approval:${instanceId}:${approvalId}`;
}

function openedNews({ instanceId }: FollowApprovalsDeps, approval: StoredApproval): AccountNews {
  const { approvalId, runId, host, expiresAtMs } = approval;
  const about = { run_id: runId, host };
  const subjectId = approvalId;
  return {
    events: [
      { type: 'approval_opened', subjectId, payload: about, key: `approval-opened:${approvalId}` },
    ],
    notices: [
      {
        class: 'approval',
        key: keyOf(instanceId, approvalId),
        subjectId,
        detail: { ...about, expires_at_ms: Math.round(expiresAtMs) },
      },
    ],
  };
}

function closedNews(
  { instanceId }: FollowApprovalsDeps,
  approvalId: string,
  approval: StoredApproval | undefined,
): AccountNews {
  const isDecided = approval?.decision !== undefined;
  const state = approval === undefined || approval.isLapsed ? 'expired' : approval.state;
  const by = isDecided ? { by: approval.decidedBy } : {};
  return {
    events: [
      {
        type: 'approval_closed',
        subjectId: approvalId,
        payload: { state, ...by },
        key: `approval-closed:${approvalId}`,
      },
    ],
    resolves: [{ as: isDecided ? 'answered' : 'withdrawn', key: keyOf(instanceId, approvalId) }],
  };
}
