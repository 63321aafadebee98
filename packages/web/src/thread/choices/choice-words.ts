/*
 * What an agent lets people choose, as its pickers show it.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Thread } from '../../text/thread-words.ts';

export type Choice = AnswerOf<Api['threads']['choices']>['items'][number];
export type Chosen = Readonly<Record<string, string>>;

export const ownChoice = 'The agent’s own choice';

/* By its id, or by its category. */
export function chosenOf({ id, category }: Choice, chosen: Chosen): string | undefined {
  return own(chosen, id) ?? (category === null ? undefined : own(chosen, category));
}

/* What was chosen and is not among the choices: by then the agent may be another version. */
export function notOffered(
  items: readonly Choice[],
  chosen: Chosen,
): readonly (readonly [string, string])[] {
  const isOffered = (key: string): boolean =>
    items.some(({ id, category }) => id === key || category === key);
  return Object.entries(chosen).filter(([key]) => !isOffered(key));
}

/* An agent may call a choice `constructor`. */
function own(chosen: Chosen, key: string): string | undefined {
  return Object.hasOwn(chosen, key) ? chosen[key] : undefined;
}

export function nameOfValue({ values }: Choice, value: string): string {
  return values.find((one) => one.value === value)?.name ?? value;
}

/* The mode first: it says what the agent does without being asked. */
export function standingOf({ current_choices: choices = [] }: Thread): string {
  const shown = ['mode', 'model'].flatMap((category) =>
    choices.filter((choice) => choice.category === category),
  );
  return shown.map(({ value_name: name }) => name).join(' · ');
}
