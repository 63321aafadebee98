/*
 * Which runs and approvals a caller sees: those of its account.
 *
 * Whoever runs this machine also sees what was started on it without the gateway: `local` is what agents asked for over MCP on
 * stdio, `cli` what a person ran on the command line. The latter is nothing for a token of theirs: an agent may hold it, and
 * what a person does at a terminal is nothing that an agent may read or type into.
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

/* `account`: its account's runs and no more, as for agents over MCP, who have nothing to do with what others run on the machine. */
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

/* Removed ones are gone for everybody. */
export function seesRun(caller: Who, record: RunRecord, reach?: Reach): boolean {
  const account = accountOf(record);
  if (account === undefined || record.removedAtMs !== undefined) return false;
  return seesAccount(caller, account, reach);
}

/* Undefined: of some other part of the gateway, and no run of anybody's to see. */
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
