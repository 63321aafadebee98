/*
 * What an agent's answer to `session/new`, `session/load`, `session/resume` or `session/set_config_option` lets people choose. Pure.
 *
 * An agent may say anything, so everything has a bound. Ids and values go back to the agent as they came, so one that is too long or has
 * characters that nobody sees is left out; names are for people, and are made fit to be shown.
 */
import { isObject, type Json, type JsonObject } from '../wire/json-rpc.ts';
import type { Choice, ChoiceValue } from './choice.ts';

/* Real agents have up to six. */
const choicesMax = 16;
/* One that reaches many providers offers some hundred models. */
const valuesMax = 400;
const idCharactersMax = 64;
const valueCharactersMax = 256;
const nameCharactersMax = 80;
const descriptionCharactersMax = 240;
/* Of all names, values and descriptions together: they are loaded with the thread. */
const charactersMax = 48_000;

export interface KnownChoices {
  readonly known: readonly Choice[];
  /* Of `session/new`: an agent that tells of its choices there tells of all that it has. */
  readonly isNew: boolean;
}

/*
 * Of the answer that opens a session. What it does not mention was not told: it stays as it was known, without how it stands. Undefined: it
 * told of nothing.
 */
export function parseToldChoices(
  answer: JsonObject,
  { known, isNew }: KnownChoices,
): readonly Choice[] | undefined {
  const told = {
    option: Array.isArray(answer['configOptions']),
    mode: isObject(answer['modes']),
    model: isObject(answer['models']),
  };
  if (!Object.values(told).some(Boolean)) return undefined;
  const found = parseChoices(answer);
  return isNew ? found : withOlder(found, withoutCurrent(known.filter(({ way }) => !told[way])));
}

/* As another session offers them: how they stand there says nothing here. */
export function withoutCurrent(choices: readonly Choice[]): readonly Choice[] {
  return choices.map(({ current: _current, ...choice }) => choice);
}

export function parseChoices(answer: JsonObject): readonly Choice[] {
  const { modes, models, configOptions } = answer;
  const room = { left: charactersMax };
  const found = parseOptions(configOptions, room);
  const older = [
    isObject(modes) ? parseModes(modes, room) : undefined,
    isObject(models) ? parseModels(models, room) : undefined,
  ].filter((choice) => choice !== undefined);
  return withOlder(found, older);
}

/* Of `config_option_update`: all options anew. What the agent has told in an older way stays. */
export function parseOptionUpdate(known: readonly Choice[], update: JsonObject): readonly Choice[] {
  const found = parseOptions(update['configOptions'], { left: charactersMax });
  return withOlder(
    found,
    known.filter(({ way }) => way !== 'option'),
  );
}

/* Of `current_mode_update`: in whichever way the agent has told its modes. */
export function parseModeUpdate(known: readonly Choice[], update: JsonObject): readonly Choice[] {
  const { currentModeId: mode } = update;
  if (!isPlain(mode, valueCharactersMax)) return known;
  return known.map((choice) =>
    choice.category === 'mode' ? { ...choice, current: mode } : choice,
  );
}

/* An agent that tells its modes in both ways means one thing. */
function withOlder(found: readonly Choice[], older: readonly Choice[]): readonly Choice[] {
  const isNew = ({ id, category }: Choice): boolean =>
    !found.some((choice) => choice.id === id || choice.category === category);
  return [...found, ...older.filter(isNew)].slice(0, choicesMax);
}

interface Room {
  left: number;
}

function parseOptions(options: Json | undefined, room: Room): readonly Choice[] {
  const choices = new Map<string, Choice>();
  for (const option of listOf(options)) {
    if (choices.size === choicesMax) break;
    const choice = parseOption(option, room);
    if (choice !== undefined && !choices.has(choice.id)) choices.set(choice.id, choice);
  }
  return [...choices.values()];
}

function parseOption(option: JsonObject, room: Room): Choice | undefined {
  const { id, type = 'select', category, currentValue, options } = option;
  // Switches are only for clients that say that they know them, and we do not.
  if (type !== 'select' || !isPlain(id, idCharactersMax)) return undefined;
  const values = listOf(options).flatMap((one) =>
    Array.isArray(one['options'])
      ? listOf(one['options']).map((inner) => ({ ...inner, group: one['name'] }))
      : [one],
  );
  return {
    ...about(option, id),
    ...(isPlain(category, idCharactersMax) ? { category } : {}),
    ...parseValues(values, { current: currentValue, key: 'value', room }),
    way: 'option',
  };
}

function parseModes({ currentModeId, availableModes }: JsonObject, room: Room): Choice | undefined {
  const from = { current: currentModeId, key: 'id', room } as const;
  const values = parseValues(listOf(availableModes), from);
  if (values.values.length === 0) return undefined;
  return { id: 'mode', name: 'Mode', category: 'mode', ...values, way: 'mode' };
}

function parseModels(models: JsonObject, room: Room): Choice | undefined {
  const { currentModelId, availableModels } = models;
  const from = { current: currentModelId, key: 'modelId', room } as const;
  const values = parseValues(listOf(availableModels), from);
  if (values.values.length === 0) return undefined;
  return { id: 'model', name: 'Model', category: 'model', ...values, way: 'model' };
}

interface ValuesFrom {
  readonly current: Json | undefined;
  /* Where an entry has its value. */
  readonly key: string;
  readonly room: Room;
}

function parseValues(
  entries: readonly JsonObject[],
  { current, key, room }: ValuesFrom,
): Pick<Choice, 'values' | 'moreValues' | 'current'> {
  const values = new Map<string, ChoiceValue>();
  let moreValues = 0;
  for (const entry of entries) {
    const value = entry[key];
    if (!isPlain(value, valueCharactersMax) || values.has(value)) continue;
    // The one that is set is always told.
    if (value !== current && (values.size >= valuesMax || room.left <= 0)) {
      moreValues += 1;
      continue;
    }
    const { id: _id, ...shown } = { ...about(entry, value), value };
    room.left -= JSON.stringify(shown).length;
    values.set(value, shown);
  }
  const now = isPlain(current, valueCharactersMax) ? { current } : {};
  return { values: [...values.values()], moreValues, ...now };
}

function about(entry: JsonObject, id: string) {
  const description =
    shownText(entry['description'], descriptionCharactersMax) ||
    shownText(entry['group'], nameCharactersMax);
  return {
    id,
    name: shownText(entry['name'], nameCharactersMax) || shownText(id, nameCharactersMax),
    ...(description === '' ? {} : { description }),
  };
}

/* More than can be kept is not looked at. */
const entriesMax = 4_000;

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.slice(0, entriesMax).filter(isObject) : [];
}

/* Controls, what turns or hides text, halves of characters, and breaks of lines. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/u;

function isPlain(value: Json | undefined, charactersMax: number): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false;
  return value.length <= charactersMax && !unseen.test(value);
}

function shownText(value: Json | undefined, charactersMax: number): string {
  if (typeof value !== 'string') return '';
  // Cut first: what an agent sends may have megabytes.
  const line = value.slice(0, 4 * charactersMax).replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return Array.from(line.trim()).slice(0, charactersMax).join('').trim();
}
