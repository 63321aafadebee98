/*
 * Where rules are: on this machine or at a gateway. `clf rules` is written against this.
 */
import type { CommandContext } from '../command.ts';
import { findPlace } from '../sign-in/find-gateway.ts';
import type { Rule } from './rule.ts';

export interface RulePlace {
  /* For a sentence: `in /var/lib/clawdfather`, `at home`. */
  readonly name: string;
  /* What follows `clf COMMAND` to mean this place again. */
  readonly flag: string;
  readonly ownAccounts: readonly string[];
  /* Newest first. */
  list(isRevokedToo: boolean): Promise<readonly Rule[]>;
  /* The rule as it is then. Throws `rule-revoked`, `approval-refused`. */
  revoke(rule: Rule): Promise<Rule>;
}

export async function withRules<Result>(
  context: CommandContext,
  use: (place: RulePlace) => Promise<Result>,
): Promise<Result> {
  if (findPlace(context) === undefined) {
    return (await import('./rules-here.ts')).withRulesHere(context, use);
  }
  return (await import('./rules-at-gateway.ts')).withRulesAtGateway(context, use);
}
