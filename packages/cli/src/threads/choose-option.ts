/*
 * Which of its options answers what an agent asks. What counts is the option itself; its kind only helps a person who has named none, and
 * only where it leaves no choice.
 */
import { type ApprovalDecision, optionOfDecision } from '@clawdfather/protocol';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';
import type { Ask, AskOption } from './thread-types.ts';

export type AskDecision = ApprovalDecision;

export interface OptionWish {
  readonly decision: AskDecision;
  /* Its id, as a person typed it. */
  readonly option?: string | undefined;
  /* What follows `clf allow` and `clf deny` to mean the same place. */
  readonly flag: string;
}

/* Throws `option-needed`. */
export function chooseOption(ask: Pick<Ask, 'id' | 'options'>, wish: OptionWish): AskOption {
  const { decision, option } = wish;
  if (option !== undefined) {
    const named = ask.options.find(({ option_id: id }) => id === option);
    if (named !== undefined) return named;
    throw optionNeeded(ask, wish, `it offers no option "${makeVisible(option)}"`);
  }
  const chosen = optionOfDecision(ask.options, decision);
  if (chosen.outcome === 'one') return chosen.option;
  const why = chosen.outcome === 'none' ? 'none of its options is' : 'several of its options are';
  throw optionNeeded(ask, wish, `${why} "${chosen.kind}"`);
}

function optionNeeded(
  { id, options }: Pick<Ask, 'id' | 'options'>,
  { decision, flag }: OptionWish,
  why: string,
): CliError {
  const verb = decision === 'deny' ? 'deny' : 'allow';
  const offered = options.map(formatOption).join(', ');
  return new CliError('option-needed', `${id} has to be answered by an option: ${why}`, {
    hint: `Say which: clf ${verb}${flag} ${id} --option OPTION. There are: ${offered === '' ? 'none' : offered}`,
    detail: { id, options: options.map(({ option_id: optionId }) => optionId) },
  });
}

/* `allow-once (Yes, allow_once)` */
function formatOption({ option_id: id, name, kind }: AskOption): string {
  return makeVisible(`${id} (${name}, ${kind})`);
}
