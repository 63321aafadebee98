/*
 * The few queries that belong to no account: getting in, other gateways, the clean-up. What they find is carried out through
 * `store.forAccount`.
 */
import type { AgentKeys, DueThreads, QueueRecords, WakeRecords } from '@clawdfather/agents';
import type { QueryContext } from '../context.ts';
import { type AuditLog, createAuditLog } from '../account/audit-log.ts';
import { createAgentKeys } from './agent-keys.ts';
import { type Accounts, createAccounts, parseAccountId } from './accounts.ts';
import { type Cleanup, createCleanup } from './cleanup.ts';
import { createSystemArtifacts, type SystemArtifacts } from './artifacts.ts';
import { createDueThreads } from './due-threads.ts';
import { createInstances, type Instances } from './instances.ts';
import { createLeases, type Leases } from './leases.ts';
import { createMasterKeyNotes, type MasterKeyNotes } from './master-keys.ts';
import { createNoticeQueue, type NoticeQueue } from './notices.ts';
import { createPushQueries, type PushQueries } from './push.ts';
import { createQueue } from './queue.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createSignIns, type SignIns } from './sign-in.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createWakes } from './wakes.ts';

/** The account id of events without an account, such as a refused token. No real account can have it: `isId` refuses it. */
const nobody = parseAccountId('nobody');

export interface SystemQueries {
  readonly accounts: Accounts;
  readonly signIns: SignIns;
  readonly tokens: Tokens;
  readonly instances: Instances;
  readonly leases: Leases;
  readonly threads: DueThreads;
  readonly notices: NoticeQueue;
  readonly push: PushQueries;
  readonly artifacts: SystemArtifacts;
  readonly agentKeys: AgentKeys;
  readonly wakes: WakeRecords;
  readonly queue: QueueRecords;
  readonly rateLimits: RateLimits;
  readonly cleanup: Cleanup;
  readonly masterKeys: MasterKeyNotes;
  /** For entries that belong to no account. */
  readonly auditLog: AuditLog;
}

export function createSystemQueries(context: QueryContext): SystemQueries {
  return {
    accounts: createAccounts(context),
    signIns: createSignIns(context),
    tokens: createTokens(context),
    instances: createInstances(context),
    leases: createLeases(context),
    threads: createDueThreads(context),
    notices: createNoticeQueue(context),
    push: createPushQueries(context),
    artifacts: createSystemArtifacts(context),
    agentKeys: createAgentKeys(context),
    wakes: createWakes(context),
    queue: createQueue(context),
    rateLimits: createRateLimits(context),
    cleanup: createCleanup(context),
    masterKeys: createMasterKeyNotes({ ...context, accountId: nobody }),
    auditLog: createAuditLog({ ...context, accountId: nobody }),
  };
}
