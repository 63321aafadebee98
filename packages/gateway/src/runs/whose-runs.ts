/*
 * Which runs and approvals a caller sees: those of its account.
 *
 * The owner of the machine also sees what was started on it without the gateway: `local` is what agents asked for over MCP on
 * stdio, `cli` what a person ran on the command line. A token of the owner does not see the latter:
 * an agent may hold it, and an agent must not read or type into what a person does at a terminal.
 */
import type { RunKind, RunRecord } from '@clawdfather/supervisor';
import {
  accountLabel,
  cliAccount,
  cliBackend,
  execBackend,
  localAccount,
} from '@clawdfather/supervisor/origins';
import type { Caller } from '../http/caller.ts';

type Who = Pick<Caller, 'accountId' | 'isOwner' | 'kind'>;

/* `account`: its account's runs and no more, as for agents over MCP, which do not see other runs of the machine. */
export type Reach = 'machine' | 'account';

export function accountsOf(
  { accountId, isOwner, kind }: Who,
  reach: Reach = 'machine',
): readonly string[] {
  if (!isOwner || reach === 'account') return [accountId];
  return kind === 'device' ? [accountId, localAccount, cliAccount] : [accountId, localAccount];
}

export function seesAccount(caller: Who, account: string, reach?: Reach): boolean {
  return accountsOf(caller, reach).includes(account);
}

/* No account sees a removed run. */
export function seesRun(caller: Who, record: RunRecord, reach?: Reach): boolean {
  const account = accountOf(record);
  if (account === undefined || record.removedAtMs !== undefined) return false;
  return seesAccount(caller, account, reach);
}

/* Undefined: a run of another part of the gateway, which no account sees. */
export function accountOf({ backendId, labels }: RunRecord): string | undefined {
  if (backendId === cliBackend) return cliAccount;
  return backendId === execBackend ? labels[accountLabel] : undefined;
}

/* The same as a filter of the registry. */
export function kindsOf(caller: Who, reach?: Reach): readonly RunKind[] {
  const accounts = accountsOf(caller, reach);
  const kinds = accounts.map((account) => ({
    backendId: execBackend,
    labels: { [accountLabel]: account },
  }));
  return accounts.includes(cliAccount) ? [...kinds, { backendId: cliBackend }] : kinds;
}
