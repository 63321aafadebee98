/*
 * The rules of this machine: those of every account, because whoever can open the state directory runs the machine.
 */
import { readLineage } from '@clawdfather/supervisor';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { flagHere } from '../sign-in/find-gateway.ts';
import { isAtTerminal } from './decide.ts';
import { revokedBefore, type Rule, ruleOf } from './rule.ts';
import type { RulePlace } from './rule-place.ts';
import { withApprovals } from './with-approvals.ts';
import { personHere } from '../runs/who-asks.ts';

/* More than anybody has allowed by hand. */
const rulesMax = 10_000;

export function withRulesHere<Result>(
  context: CommandContext,
  use: (place: RulePlace) => Promise<Result>,
): Promise<Result> {
  const { config, clock } = context;
  return withApprovals(context, async ({ store }) => {
    const { canRunAnything, revokeRule } = await import('@clawdfather/tools');
    const read = (isRevokedToo: boolean): Rule[] =>
      store
        .rules({ limit: rulesMax, isRevokedToo })
        .map((rule) => ruleOf(rule, canRunAnything(rule)));
    return use({
      name: `in ${config.stateDir}`,
      flag: flagHere(config),
      ownAccounts: machineAccounts,
      list: async (isRevokedToo) => read(isRevokedToo),
      revoke: async ({ id }) => {
        const outcome = await revokeRule(
          { store, clock },
          {
            ruleId: id,
            by: personHere(),
            decider: { lineage: readLineage(config.pid), isAtTerminal: isAtTerminal() },
          },
        );
        switch (outcome.kind) {
          case 'revoked':
            return ruleOf(outcome.rule, canRunAnything(outcome.rule));
          case 'over':
            throw revokedBefore(ruleOf(outcome.rule, canRunAnything(outcome.rule)));
          case 'unknown':
            throw new CliError('rule-not-found', `rule ${id} is gone`, { detail: { id } });
          case 'refused':
            throw mayNotRevoke(outcome.why);
        }
      },
    });
  });
}

export function mayNotRevoke(why: string): CliError {
  return new CliError('approval-refused', `you may not revoke this: ${why}`, {
    hint: 'Revoke it in a terminal of your own, outside of any run; over ssh, ask for one with -t.',
  });
}
