/*
 * Which of its options answers what an agent asks, for those who decide without naming one. What counts is the option itself; its kind only
 * helps where it leaves no choice. Pure.
 */
import type { ApprovalDecision } from './policy.ts';

/* As the Agent Client Protocol names them. */
const kinds: Readonly<Record<ApprovalDecision, string>> = {
  'allow-once': 'allow_once',
  'allow-always': 'allow_always',
  deny: 'reject_once',
};

export type OptionOfDecision<Option> =
  | { readonly outcome: 'one'; readonly option: Option; readonly kind: string }
  | { readonly outcome: 'none' | 'several'; readonly kind: string };

export function optionOfDecision<Option extends { readonly kind: string }>(
  options: readonly Option[],
  decision: ApprovalDecision,
): OptionOfDecision<Option> {
  const kind = kinds[decision];
  const [option, ...others] = options.filter((offered) => offered.kind === kind);
  if (option === undefined) return { outcome: 'none', kind };
  if (others.length > 0) return { outcome: 'several', kind };
  return { outcome: 'one', option, kind };
}
