/*
 * Where an agent of this account works, unless its caller says where. `agents.NAME.cwd` is a directory of the gateway's own user, which a
 * member may not have. Throws `account-not-local` for a member without a Unix user of its
 * own: such an agent does not run here at all.
 */
import type { AccountId } from '@clawdfather/kit';
import type { GatewayConfig } from '../gateway-config.ts';
import type { Runs } from '../runs/open-runs.ts';

export function usualDirectory(
  { config, runs }: { readonly config: GatewayConfig; readonly runs: Pick<Runs, 'users'> },
  accountId: AccountId,
  agentCwd: string | undefined,
): string {
  return runs.users.of(accountId)?.home ?? agentCwd ?? config.runs.directory;
}
