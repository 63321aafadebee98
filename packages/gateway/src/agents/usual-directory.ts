/*
 * Where an agent of this account works, unless its caller says where. Throws `account-not-local` for a member without a Unix user of its
 * own: such an agent does not run here at all.
 */
import type { AccountId } from '@clawdfather/kit';
import type { GatewayConfig } from '../gateway-config.ts';
import type { Runs } from '../runs/open-runs.ts';

export function usualDirectory(
  { config, runs }: { readonly config: GatewayConfig; readonly runs: Pick<Runs, 'users'> },
  accountId: AccountId,
): string {
  return runs.users.of(accountId)?.home ?? config.runs.directory;
}
