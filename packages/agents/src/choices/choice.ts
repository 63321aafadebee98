/*
 * What an agent lets people choose for its session, such as its mode, its model, or how long it thinks: one list, whichever of the ways of
 * ACP the agent has for it. They are types and no interfaces, because they are stored as JSON.
 */

export type ChoiceValue = {
  readonly value: string;
  /* For people. */
  readonly name: string;
  readonly description?: string | undefined;
};

/* How it is set: the older ACP has a method for modes and one for models, the newer one for all. */
export type ChoiceWay = 'mode' | 'model' | 'option';

export type Choice = {
  readonly id: string;
  readonly name: string;
  /* What it is about: `mode`, `model`, `thought_level`, or a word of the agent's own. */
  readonly category?: string | undefined;
  readonly description?: string | undefined;
  readonly values: readonly ChoiceValue[];
  /* So many more are offered and not kept here. */
  readonly moreValues: number;
  readonly current?: string | undefined;
  readonly way: ChoiceWay;
};

/* How one stands, without all that could be chosen: short enough for a list of threads. */
export type CurrentChoice = {
  readonly id: string;
  readonly name: string;
  readonly category?: string | undefined;
  readonly value: string;
  readonly valueName: string;
};

/* What a person wants: a value for each choice, which is named by its id or its category. */
export type Chosen = Readonly<Record<string, string>>;

/* As many as a thread keeps. */
export const chosenMax = 16;

/* Categories of ACP that say nothing about what an agent may do. By an id of its own a choice may be about anything. */
export const harmlessCategories: readonly string[] = ['model', 'model_config', 'thought_level'];

/* It may decide what the agent does without being asked, as a mode does. By its category; of a choice that has none, by its id. */
export function mayLimit({ id, category = id }: Pick<Choice, 'id' | 'category'>): boolean {
  return !harmlessCategories.includes(category);
}

export function currentOf(choices: readonly Choice[]): readonly CurrentChoice[] {
  return choices.flatMap(({ id, name, category, values, current: value }) => {
    if (value === undefined) return [];
    const valueName = values.find((one) => one.value === value)?.name ?? value;
    return { id, name, ...(category === undefined ? {} : { category }), value, valueName };
  });
}

/* By its id, else the first of its category. */
export function findChoice<Named extends Pick<Choice, 'id' | 'category'>>(
  choices: readonly Named[],
  key: string,
): Named | undefined {
  return choices.find(({ id }) => id === key) ?? choices.find(({ category }) => category === key);
}

/* By the value itself, else by its name, which people type; undefined: it is not offered. */
export function findValue({ values, moreValues }: Choice, wanted: string): string | undefined {
  const exact = values.find(({ value }) => value === wanted);
  if (exact !== undefined) return exact.value;
  const word = wanted.toLowerCase();
  const named = values.filter(
    ({ value, name }) => value.toLowerCase() === word || name.toLowerCase() === word,
  );
  if (named.length === 1) return named[0]?.value;
  // It may be among those that are not kept: the agent knows.
  return moreValues > 0 ? wanted : undefined;
}
