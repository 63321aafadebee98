/*
 * The rules of a person's account at a gateway. Revoking takes a terminal and is refused inside a run, as deciding is (A5). The gateway
 * judges again.
 */
import { RefusedError } from '@clawdfather/sdk';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import type { CommandContext } from '../command.ts';
import { allPages } from '../place/gateway/all-pages.ts';
import { placeFlag, placeName } from '../sign-in/find-gateway.ts';
import { refuseInsideRun } from '../sign-in/inside-run.ts';
import { withGateway } from '../sign-in/open-client.ts';
import { isAtTerminal } from './decide.ts';
import { revokedBefore } from './rule.ts';
import type { RulePlace } from './rule-place.ts';
import { mayNotRevoke } from './rules-here.ts';

export function withRulesAtGateway<Result>(
  context: CommandContext,
  use: (place: RulePlace) => Promise<Result>,
): Promise<Result> {
  return withGateway(context, async ({ client, target }) => {
    const { account } = await client.auth.me();
    return use({
      name: placeName(target),
      flag: placeFlag(target),
      ownAccounts: [...machineAccounts, account.id],
      list: (isRevokedToo) => {
        const revoked = isRevokedToo ? 'true' : 'false';
        return allPages((page) => client.approvalRules.list({ query: { ...page, revoked } }));
      },
      revoke: async ({ id }) => {
        refuseInsideRun(context.config.pid);
        if (!isAtTerminal()) throw mayNotRevoke('there is no terminal');
        try {
          return await client.approvalRules.revoke({ params: { id } });
        } catch (error) {
          const isOver = error instanceof RefusedError && error.refusal.code === 'already_decided';
          if (!isOver) throw error;
          throw revokedBefore(await client.approvalRules.get({ params: { id } }));
        }
      },
    });
  });
}
