/*
 * What the session of an agent lets people choose and how it stands, as the agent itself says it: in the answer that opens the session, in
 * updates while it works, and in what it answers to a value that is set.
 *
 * What an answer does not mention was not told, and stays as it was known: agents may answer to `session/load` and `session/resume` with
 * nothing. How such a choice stands in the new session is not known then, so what was chosen is set.
 *
 * What the agent changes itself, such as leaving its planning mode, is told to people, and holds until somebody chooses again.
 */
import {
  type Choice,
  type Chosen,
  type CurrentChoice,
  currentOf,
  findChoice,
  findValue,
} from '../choices/choice.ts';
import { nextSetting, type ToldValue } from '../choices/next-setting.ts';
import { parseModeUpdate, parseOptionUpdate, parseToldChoices } from '../choices/parse-choices.ts';
import { isObject, type JsonObject } from '../wire/json-rpc.ts';
import type { Draft } from './draft.ts';

/* A session has answered: what it offers, and how it stands. `isNew`: nothing of an earlier one holds. */
export function openChoices(
  draft: Draft,
  answer: JsonObject,
  { isNew }: { readonly isNew: boolean },
): void {
  const { choices: known = [] } = draft.changeRun({});
  if (isNew) draft.thread = { ...draft.thread, currentChoices: undefined };
  const told = parseToldChoices(answer, { known, isNew });
  if (told !== undefined) keepChoices(draft, told);
}

/* What an agent tells of its choices while it works. Updates of other sessions, such as those of its own helpers, are about other things. */
export function noteChoices(draft: Draft, params: JsonObject, atMs: number): void {
  const { sessionId = draft.thread.nativeSessionId } = params;
  const update = isObject(params['update']) ? params['update'] : {};
  const { choices: before = [], setting } = draft.changeRun({});
  const { currentChoices: shown = [] } = draft.thread;
  if (sessionId !== draft.thread.nativeSessionId) return;
  const after = choicesAfter(before, update);
  if (after === before) return;
  keepChoices(draft, after);
  const { call, late = [] } = setting ?? {};
  // While something is set, what changes is a consequence of that, and expected.
  if (call !== undefined && isWanted(draft, call, after)) return;
  for (const change of changesOf(shown, after)) {
    const { id, name, current } = change.choice;
    // So is what a call does that was given up: the agent has left nothing.
    const isLate = late.some(({ choiceId, value }) => choiceId === id && value === current);
    const known = before.find((one) => one.id === id);
    if (call === undefined && !isLate && known !== undefined) dropChosen(draft, known);
    const message = `The agent changed ${name} to ${shownValue(after, id, current)}.`;
    tellChanged(draft, { ...change, message, atMs });
  }
}

function choicesAfter(before: readonly Choice[], update: JsonObject): readonly Choice[] {
  switch (update['sessionUpdate']) {
    case 'current_mode_update':
      return parseModeUpdate(before, update);
    case 'config_option_update':
      return parseOptionUpdate(before, update);
    default:
      return before;
  }
}

/* A turn waits for it. False: that one was cancelled, or somebody has chosen another value since. */
export function isWanted(
  { turn, thread: { chosen = {} } }: Draft,
  { choiceId, value }: ToldValue,
  choices: readonly Choice[],
): boolean {
  const choice = findChoice(choices, choiceId);
  if (turn === undefined || choice === undefined) return false;
  return Object.entries(chosen).some(
    ([key, wanted]) => findChoice(choices, key) === choice && findValue(choice, wanted) === value,
  );
}

/* It has taken a value: it says how all of its options stand, or nothing. */
export function takenChoices(
  before: readonly Choice[],
  result: JsonObject,
  { choiceId, value }: { readonly choiceId: string; readonly value: string },
): readonly Choice[] {
  if (Array.isArray(result['configOptions'])) return parseOptionUpdate(before, result);
  return before.map((choice) => (choice.id === choiceId ? { ...choice, current: value } : choice));
}

/* Nobody expects this any more, and it has taken effect. */
export function keepAndTell(
  draft: Draft,
  after: readonly Choice[],
  { why, atMs }: { readonly why: string; readonly atMs: number },
): void {
  const { currentChoices: shown = [] } = draft.thread;
  keepChoices(draft, after);
  for (const change of changesOf(shown, after)) {
    const { id, name, current } = change.choice;
    const message = `${name} is ${shownValue(after, id, current)} now${why}.`;
    tellChanged(draft, { ...change, message, atMs });
  }
}

interface Change {
  readonly from: string;
  readonly choice: Choice & { readonly current: string };
}

/* From what people were shown. Where they were shown nothing, nothing is known to have changed. */
function changesOf(shown: readonly CurrentChoice[], after: readonly Choice[]): readonly Change[] {
  return after.flatMap((choice) => {
    const { id, current } = choice;
    const from = shown.find((one) => one.id === id)?.value;
    if (from === undefined || current === undefined || from === current) return [];
    return { from, choice: { ...choice, current } };
  });
}

function tellChanged(
  draft: Draft,
  { from, choice, message, atMs }: Change & { readonly message: string; readonly atMs: number },
): void {
  const facts = { choice: choice.id, from, to: choice.current, message };
  draft.event('status', { event: 'choice-changed', ...facts }, { atMs });
}

/* The agent has left what was chosen. What was chosen since and is not set yet stays. */
function dropChosen(draft: Draft, left: Choice): void {
  const all = Object.entries(draft.thread.chosen ?? {});
  const isLeft = ([key, value]: readonly [string, string]): boolean =>
    (key === left.id || key === left.category) && findValue(left, value) === left.current;
  const rest = all.filter((one) => !isLeft(one));
  if (rest.length === all.length) return;
  setChosen(draft, Object.fromEntries(rest));
  forgetTried(draft, left.id);
}

/* What was tried for it was for another wish. What people are shown now is what they expect where they want nothing any more. */
export function forgetTried(draft: Draft, choiceId: string): void {
  if (draft.run === undefined) return;
  const { setting } = draft.run;
  if (setting === undefined) return;
  const { currentChoices = [] } = draft.thread;
  const shown = currentChoices.find(({ id }) => id === choiceId)?.value;
  draft.changeRun({ setting: nextSetting(setting, { type: 'chosen', choiceId, shown }) });
}

export function setChosen(draft: Draft, chosen: Chosen): void {
  const isNone = Object.keys(chosen).length === 0;
  draft.thread = { ...draft.thread, chosen: isNone ? undefined : chosen };
}

/*
 * Agents tell the same again and again: what has not changed stays the same object, and is not written. Of a choice of which the agent has
 * not said how it stands in this session, people see what it said last.
 */
export function keepChoices(draft: Draft, choices: readonly Choice[]): void {
  const before = draft.changeRun({}).choices;
  if (!isSame(before, choices)) draft.changeRun({ choices });
  const { currentChoices: shown = [] } = draft.thread;
  const found = choices.flatMap((choice) =>
    choice.current === undefined ? shown.filter(({ id }) => id === choice.id) : currentOf([choice]),
  );
  const now = found.length === 0 ? undefined : found;
  if (isSame(draft.thread.currentChoices, now)) return;
  draft.thread = { ...draft.thread, currentChoices: now };
}

function isSame(before: readonly unknown[] | undefined, after: readonly unknown[] | undefined) {
  return JSON.stringify(before) === JSON.stringify(after);
}

export function shownValue(choices: readonly Choice[], key: string, value: string): string {
  const values = findChoice(choices, key)?.values ?? [];
  return `“${values.find((one) => one.value === value)?.name ?? value}”`;
}
