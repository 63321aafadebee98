/*
 * People's decisions and what came of them, from the registry into the audit log: what was decided, revoked and started, by whom,
 * also on the command line of this machine and while no gateway ran.
 *
 * The registry says what no log was told of. Each entry is written first and marked there second. A gateway that is killed in
 * between leaves an entry without its mark, so what is found at the opening is compared with the newest entries before anything is
 * written. What a caller decides here is written with the address and the trace of the request; meanwhile it is left alone.
 *
 * If the control database cannot be written, it is tried again until it can. The registry keeps decided approvals for a week.
 */
import { type Clock, type Log, type Timer } from '@clawdfather/kit';
import { type AccountId, type AuditEntry, parseAccountId, type Store } from '@clawdfather/store';
import type { AllowRule, ApprovalStore, StoredApproval } from '@clawdfather/supervisor';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { askerOf, credentialOf, isWithdrawn, parseCommand } from '@clawdfather/tools';
import { formatTime } from '../http/format-time.ts';
import { type AuditDetail, shownCommand } from './run-audit.ts';

export interface ApprovalAuditDeps {
  readonly store: Store;
  readonly approvals: ApprovalStore;
  /* Has the entries about what agents and people did on this machine without a gateway. */
  readonly ownerId: AccountId;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ApprovalAudit extends AsyncDisposable {
  /* Work that decides about this approval or rule and writes the entry itself. */
  whileWriting<Value>(
    entry: Pick<Entry, 'action' | 'target'>,
    work: () => Promise<Value>,
  ): Promise<Value>;
}

type Entry = AuditEntry & { readonly target: string };

/* Rows of the registry per look. */
const rowsMax = 100;
/* Entries of the log per page. */
const entriesMax = 100;
/* The wall clock may have been set back by this much since an entry was written. */
const clockSlackMs = 10 * 60_000;
/* A full disk is not cleared faster. */
const againMs = 5_000;

export function openApprovalAudit(deps: ApprovalAuditDeps): ApprovalAudit {
  const follower = new Follower(deps);
  const stop = deps.approvals.watch(() => follower.look());
  follower.look();
  return {
    whileWriting: (entry, work) => follower.whileWriting(entry, work),
    [Symbol.asyncDispose]: async () => {
      stop();
      await follower.close();
    },
  };
}

class Follower {
  readonly #deps: ApprovalAuditDeps;
  /* Targets that callers' own requests are writing about, and how many of them: several may decide at once. */
  readonly #busy = new Map<string, number>();
  /* Written, and not yet marked in the registry. */
  readonly #written = new Set<string>();
  #isFirst = true;
  #isDue = false;
  #isClosed = false;
  #looking: Promise<void> | undefined;
  #again: Timer | undefined;

  constructor(deps: ApprovalAuditDeps) {
    this.#deps = deps;
  }

  look(): void {
    if (this.#isClosed) return;
    this.#isDue = true;
    this.#looking ??= this.#lookWhileDue().finally(() => {
      this.#looking = undefined;
    });
  }

  async whileWriting<Value>(
    { action, target }: Pick<Entry, 'action' | 'target'>,
    work: () => Promise<Value>,
  ): Promise<Value> {
    this.#busy.set(target, (this.#busy.get(target) ?? 0) + 1);
    try {
      const value = await work();
      this.#written.add(keyOf({ action, target }));
      return value;
    } finally {
      const others = (this.#busy.get(target) ?? 1) - 1;
      if (others === 0) this.#busy.delete(target);
      else this.#busy.set(target, others);
      this.look();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#again?.cancel();
    await this.#looking;
  }

  async #lookWhileDue(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      try {
        if (await this.#takeOver()) this.#isDue = true;
      } catch (error) {
        if (this.#isClosed) return;
        this.#deps.log.error('approval.unrecorded', { error });
        this.#again?.cancel();
        this.#again = this.#deps.clock.timer(againMs, () => this.look());
      }
    }
  }

  /* True when there may be more. */
  async #takeOver(): Promise<boolean> {
    const { approvals } = this.#deps;
    const { approvals: decided, rules: revoked } = this.#untold();
    if (this.#isFirst) await this.#findWritten(decided, revoked);
    this.#isFirst = false;
    for (const approval of decided) {
      for (const entry of this.#entriesOf(approval)) await this.#write(approval, entry);
      const { approvalId, runId, state } = approval;
      await approvals.write((tx) => tx.tellApproval(approvalId, state));
      this.#forget(approvalId, runId);
    }
    for (const rule of revoked) {
      await this.#write(rule, revocationOf(rule));
      await approvals.write((tx) => tx.tellRule(rule.ruleId));
      this.#forget(rule.ruleId);
    }
    return decided.length > 0 || revoked.length > 0;
  }

  #untold(): { readonly approvals: StoredApproval[]; readonly rules: AllowRule[] } {
    const { approvals, clock } = this.#deps;
    const { bootId } = approvals.host;
    const now = { bootId, bootMs: approvals.host.bootMs(), wallMs: clock.wallMs() };
    return {
      approvals: approvals
        .untoldApprovals(rowsMax, now)
        .filter(({ approvalId }) => !this.#busy.has(approvalId)),
      rules: approvals.untoldRules(rowsMax).filter(({ ruleId }) => !this.#busy.has(ruleId)),
    };
  }

  #entriesOf(approval: StoredApproval): readonly Entry[] {
    const { approvals } = this.#deps;
    const rules = approvals.rules({
      approvalId: approval.approvalId,
      limit: rowsMax,
      isRevokedToo: true,
    });
    // What was taken back nobody has decided, and at a gateway `run.cancel` says so.
    const isTakenBack = isWithdrawn({ ...approval, reason: approval.decisionReason });
    const isDecisionTold = approval.toldState !== 'pending' || isTakenBack;
    const decision = isDecisionTold ? [] : [decisionOf(approval, rules)];
    if (approval.state === 'changed') return [...decision, changeOf(approval)];
    if (approval.state !== 'started') return decision;
    // With which token, if with one; else who, as they called themselves.
    const actor = credentialOf(approval.requesterMarks) ?? approval.requester;
    // As it was called when it asked, so that it is known also when it is gone by now.
    const who = askerOf(approval.requesterMarks)?.name;
    return [...decision, startOf(approval, { actor, who })];
  }

  async #write(row: Pick<StoredApproval, 'account'>, entry: Entry): Promise<void> {
    const key = keyOf(entry);
    if (this.#written.has(key)) return;
    await this.#deps.store.forAccount(this.#accountOf(row)).auditLog.record(entry);
    this.#written.add(key);
  }

  #forget(...targets: readonly string[]): void {
    for (const action of actions) {
      for (const target of targets) this.#written.delete(keyOf({ action, target }));
    }
  }

  #accountOf({ account }: Pick<StoredApproval, 'account'>): AccountId {
    return machineAccounts.includes(account) ? this.#deps.ownerId : parseAccountId(account);
  }

  /* Of an earlier gateway, which may not have come to marking it. */
  async #findWritten(
    decided: readonly StoredApproval[],
    revoked: readonly AllowRule[],
  ): Promise<void> {
    const since = new Map<AccountId, number>();
    const note = (row: Pick<StoredApproval, 'account'>, atMs: number): void => {
      const account = this.#accountOf(row);
      since.set(account, Math.min(since.get(account) ?? atMs, atMs));
    };
    for (const approval of decided) note(approval, approval.createdAtMs);
    for (const rule of revoked) note(rule, rule.revokedAtMs ?? rule.addedAtMs);
    for (const [account, sinceMs] of since) {
      for (const action of actions) await this.#readBack(account, action, sinceMs - clockSlackMs);
    }
  }

  async #readBack(account: AccountId, action: string, sinceMs: number): Promise<void> {
    const { auditLog } = this.#deps.store.forAccount(account);
    let before: number | undefined;
    do {
      const filter = { action, limit: entriesMax, ...(before === undefined ? {} : { before }) };
      const { entries, nextBefore } = await auditLog.list(filter);
      for (const { target } of entries) this.#written.add(keyOf({ action, target: target ?? '' }));
      before = (entries.at(-1)?.atMs ?? 0) < sinceMs ? undefined : nextBefore;
    } while (before !== undefined && !this.#isClosed);
  }
}

const actions = ['approval.decide', 'approval.changed', 'run.start', 'rule.revoke'] as const;

function keyOf({ action, target }: Pick<Entry, 'action' | 'target'>): string {
  return `${action} ${target}`;
}

/* What every entry about a decision has, whoever writes it. */
export function decisionDetail(
  approval: Pick<StoredApproval, 'runId' | 'host' | 'requester' | 'account'> & {
    readonly decision?: string | undefined;
    readonly reason: string | undefined;
    readonly command: Parameters<typeof shownCommand>[0];
  },
  rules: readonly AllowRule[],
): AuditDetail {
  const { decision, runId, host, command, requester, reason } = approval;
  return {
    ...(decision === undefined ? {} : { decision }),
    run_id: runId,
    host,
    command: shownCommand(command),
    asked_by: requester,
    ...(reason === undefined ? {} : { reason }),
    ...(rules.length === 0 ? {} : { rules: rules.map(({ ruleId }) => ruleId) }),
    ...(rules.length === 0 ? {} : { programs: rules.map(({ namedPath }) => namedPath) }),
    ...machineAccount(approval),
  };
}

function decisionOf(approval: StoredApproval, rules: readonly AllowRule[]): Entry {
  const { approvalId, decidedBy = 'somebody', decidedAtMs, decisionReason: reason } = approval;
  const command = parseCommand(approval.command);
  return {
    action: 'approval.decide',
    actor: decidedBy,
    target: approvalId,
    detail: {
      ...decisionDetail({ ...approval, command, reason }, rules),
      decided_at: formatTime(decidedAtMs),
    },
  };
}

function startOf(
  approval: StoredApproval,
  { actor, who }: { readonly actor: string; readonly who: string | undefined },
): Entry {
  const { approvalId, runId, host, requester, decidedBy = 'somebody', startedAtMs } = approval;
  return {
    action: 'run.start',
    actor,
    target: runId,
    detail: {
      ...(who === undefined ? {} : { who }),
      host,
      command: shownCommand(parseCommand(approval.command)),
      allowed_by: 'approval',
      approval: approvalId,
      decided_by: decidedBy,
      ...(requester === actor ? {} : { asked_by: requester }),
      started_at: formatTime(startedAtMs),
      ...machineAccount(approval),
    },
  };
}

/* It was allowed, and nothing started. */
function changeOf(approval: StoredApproval): Entry {
  const { approvalId, runId, host, decidedBy = 'somebody', changed = '', askedAgainAs } = approval;
  return {
    action: 'approval.changed',
    actor: 'clawdfather',
    target: approvalId,
    detail: {
      run_id: runId,
      host,
      command: shownCommand(parseCommand(approval.command)),
      changed,
      decided_by: decidedBy,
      ...(askedAgainAs === undefined ? {} : { asked_again_as: askedAgainAs }),
      ...machineAccount(approval),
    },
  };
}

export function revocationDetail(rule: AllowRule): AuditDetail {
  return {
    program: rule.namedPath,
    file: rule.realPath,
    made_by: rule.addedBy,
    made_at: formatTime(rule.addedAtMs),
    approval: rule.approvalId,
    uses: rule.usedCount,
    ...machineAccount(rule),
  };
}

function revocationOf(rule: AllowRule): Entry {
  const { ruleId, revokedBy = 'somebody', revokedAtMs } = rule;
  const detail = { ...revocationDetail(rule), revoked_at: formatTime(revokedAtMs) };
  return { action: 'rule.revoke', actor: revokedBy, target: ruleId, detail };
}

/* Said where it is not the account whose log it is: `local` for agents on this machine, `cli` for a person at a terminal. */
function machineAccount({ account }: Pick<StoredApproval, 'account'>): AuditDetail {
  return machineAccounts.includes(account) ? { account } : {};
}
