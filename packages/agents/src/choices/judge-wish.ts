/*
 * What is still to be done about each value that a person wants, before a prompt goes out. Pure: it is found out anew from what the session
 * has, what was tried for this turn, and which calls may still be answered. So a wish that changes while another value is set is simply the
 * next one.
 */
import { type Choice, type Chosen, findChoice, findValue, mayLimit } from './choice.ts';
import { type Setting, triedBefore, triedFor } from './next-setting.ts';

export interface Wish {
  /* The id or the category of a choice. */
  readonly key: string;
  readonly wanted: string;
  /* Nobody has chosen it: it is put back to what people were shown. */
  readonly isBack?: boolean;
}

/* How the session stands for the turn that waits. */
export interface Standing {
  readonly turnId: string;
  readonly choices: readonly Choice[];
  readonly setting: Setting | undefined;
}

export type Verdict =
  | { readonly verdict: 'is-set' }
  | { readonly verdict: 'to-set'; readonly choice: Choice; readonly value: string }
  /* Why, for people. */
  | { readonly verdict: 'failed'; readonly why: string };

const isSet: Verdict = { verdict: 'is-set' };

export function judgeWish({ key, wanted }: Wish, { turnId, choices, setting }: Standing): Verdict {
  const choice = findChoice(choices, key);
  if (choice === undefined) return failed('the agent does not offer this choice');
  const value = findValue(choice, wanted);
  if (value === undefined) return failed('the agent does not offer it');
  const tried = triedFor(setting, turnId).findLast(
    (one) => one.choiceId === choice.id && one.value === value,
  );
  if (value === choice.current && isCertain(choice, setting)) return isSet;
  if (tried === undefined) return { verdict: 'to-set', choice, value };
  return failed(tried.why ?? 'another choice has changed it again');
}

function failed(why: string): Verdict {
  return { verdict: 'failed', why };
}

/* A call that was given up may set its value at any time, also just before the prompt. */
function isCertain({ id }: Choice, setting: Setting | undefined): boolean {
  return !(setting?.late ?? []).some(({ choiceId, isPassed }) => choiceId === id && !isPassed);
}

/* Nobody has chosen it, and the agent does not answer to it: every prompt would wait for that, as long as its process lives. */
export function isStuck({ key, isBack = false }: Wish, { choices, setting }: Standing): boolean {
  const choice = findChoice(choices, key);
  return isBack && choice !== undefined && !isCertain(choice, setting);
}

/* Another model may offer other values of the rest, so it comes first; and a mode last, because it may depend on both. */
export function wishesOf(chosen: Chosen = {}, standing: Standing): readonly Wish[] {
  const { choices } = standing;
  const rank = ({ key }: Wish): number => {
    const category = findChoice(choices, key)?.category ?? key;
    return category === 'model' ? 0 : category === 'mode' ? 2 : 1;
  };
  const asked = Object.entries(chosen).map(([key, wanted]) => ({ key, wanted }));
  const wished = asked.map(({ key }) => findChoice(choices, key)?.id);
  const back = choices.flatMap((choice) =>
    wished.includes(choice.id) ? [] : wishesBack(choice, standing),
  );
  return [...asked, ...back].toSorted((one, other) => rank(one) - rank(other));
}

/*
 * What limits the agent and was taken back while it was set, or while it may still become so, is put back to what people were shown when they
 * took it back.
 */
function wishesBack(choice: Choice, { turnId, setting }: Standing): readonly Wish[] {
  if (!mayLimit(choice)) return [];
  const { id: key, current } = choice;
  const first = triedBefore(setting, turnId).find(({ choiceId }) => choiceId === key);
  const wanted = isCertain(choice, setting) ? first?.shown : current;
  const isOffered = wanted !== undefined && findValue(choice, wanted) !== undefined;
  return isOffered ? [{ key, wanted, isBack: true }] : [];
}
