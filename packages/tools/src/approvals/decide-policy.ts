/*
 * Policy: from what is set, what the caller wants stricter, and whether the allowlist covers the action, to one of three
 * answers. Pure.
 *
 * PO1 A caller's wishes never make the answer laxer. That is more than "take the stricter word of each list": under
 *     `allowlist` a miss is denied with `ask: off` and asked about with `on-miss`, so the stricter word would be the
 *     laxer answer. Hence both answers are worked out and the stricter one stands.
 * PO2 Nobody is asked against anybody's will. A caller that wishes `off` is denied what it would be asked about. Where the
 *     policy asks nobody about what is not on the list, a caller that wishes to be asked is denied: there may be nobody to answer. Under
 *     `full` the policy has nothing to ask about, and a wish is a person's own.
 */
import { type Ask, askLevels, type Security, securityLevels } from '@clawdfather/protocol';

export interface Policy {
  readonly security: Security;
  readonly ask: Ask;
}

/* Who calls: a person at the command line, or an agent (MCP, the gateway). */
export const personPolicy: Policy = { security: 'full', ask: 'off' };
export const agentPolicy: Policy = { security: 'allowlist', ask: 'on-miss' };

export interface StricterWish {
  readonly security?: Security | undefined;
  readonly ask?: Ask | undefined;
}

export type PolicyAnswer = 'allow' | 'ask' | 'deny';

/* From lax to strict. */
const answers: readonly PolicyAnswer[] = ['allow', 'ask', 'deny'];

export function decidePolicy(
  policy: Policy,
  wish: StricterWish,
  isOnAllowlist: boolean,
): PolicyAnswer {
  const combined = {
    security: stricterOf(securityLevels, policy.security, wish.security),
    ask: stricterOf(askLevels, policy.ask, wish.ask),
  };
  const own = answerOf(policy, isOnAllowlist);
  const answer = stricterOf(answers, own, answerOf(combined, isOnAllowlist));
  return answer === 'ask' && isNobodyAsked(policy, wish) ? 'deny' : answer;
}

/* PO2 */
function isNobodyAsked(policy: Policy, wish: StricterWish): boolean {
  return wish.ask === 'off' || (policy.ask === 'off' && policy.security !== 'full');
}

function answerOf({ security, ask }: Policy, isOnAllowlist: boolean): PolicyAnswer {
  if (security === 'deny') return 'deny';
  if (ask === 'always') return 'ask';
  if (security === 'full' || isOnAllowlist) return 'allow';
  return ask === 'on-miss' ? 'ask' : 'deny';
}

function stricterOf<Word>(laxToStrict: readonly Word[], one: Word, other: Word | undefined): Word {
  if (other === undefined) return one;
  return laxToStrict.indexOf(other) > laxToStrict.indexOf(one) ? other : one;
}
