/*
 * Whose list of rules a command is compared with, and a decision adds to. The one place that says so.
 *
 * Whoever runs the machine has one list, however an agent of theirs reaches it: over stdio (account `local`) or with a token at the
 * gateway of the machine (the owner's account). The commands of both run as the same Unix user under the same policy, and
 * the person who allows a program for ever is the same. Every other account has a list of its own. So has `cli`: what a person
 * let themselves do at a terminal is not what they let an agent do.
 */
import { localAccount } from '@clawdfather/supervisor/origins';
import type { Asker } from './requester.ts';

interface Asked {
  readonly account: string;
  readonly asker?: Asker | undefined;
}

export function ruleAccountOf({ account, asker }: Asked): string {
  return asker?.isOwner === true ? localAccount : account;
}
