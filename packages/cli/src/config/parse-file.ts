/*
 * The text of a config file, JSON with comments, to values with their positions.
 *
 * Nothing is passed over: what is unknown, there twice, or of the wrong kind is a
 * problem with its line and column. All of them are collected, because a person who
 * mends one wants to know of the others.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { suggestNearest } from '../args/suggest.ts';
import { CliError } from '../errors.ts';
import { makeVisible } from '@clawdfather/tools/text';
import { type SettingKey, settingKeys, settingOf } from './settings.ts';

export interface Position {
  /* Both from 1, as editors count. */
  readonly line: number;
  readonly column: number;
}

export interface Problem extends Position {
  readonly message: string;
  readonly hint: string | undefined;
}

export interface FileEntry extends Position {
  readonly value: unknown;
}

export interface ParsedFile {
  /* What could be read; with problems, not all of it. */
  readonly entries: ReadonlyMap<SettingKey, FileEntry>;
  readonly problems: readonly Problem[];
}

/* For editors; not a setting. */
const schemaKey = '$schema';

interface Reading {
  readonly text: string;
  readonly entries: Map<SettingKey, FileEntry>;
  readonly problems: Problem[];
}

export function parseConfigFile(source: string): ParsedFile {
  // Some editors begin a file with it; it means nothing.
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const reading: Reading = { text, entries: new Map(), problems: [] };
  const [first] = errors;
  if (first !== undefined) {
    if (root?.type === 'object') readBefore(reading, root, first.offset);
    complain(reading, first.offset, `this is no JSON from here on: ${wordsOf(first)}`);
  } else if (root?.type === 'object') readObject(reading, root, '');
  else if (root !== undefined) complain(reading, root.offset, 'the file is not one { … } object');
  return reading;
}

/*
 * After the first mistake of syntax the parser guesses, so only that one is told, and only what ends before it is read:
 * some commands go on without the file, and still want to know where the state is.
 */
function readBefore(reading: Reading, root: Node, end: number): void {
  const whole = (root.children ?? []).filter(({ offset, length }) => offset + length <= end);
  readObject({ ...reading, problems: [] }, { ...root, children: whole }, '');
}

function readObject(reading: Reading, node: Node, prefix: string): void {
  const seen = new Set<string>();
  for (const property of node.children ?? []) {
    const [name, value] = property.children ?? [];
    if (name === undefined || value === undefined) continue;
    const own = String(name.value);
    const key = `${prefix}${own}`;
    if (seen.has(own)) complain(reading, name.offset, `${makeVisible(key)} is there twice`);
    else readSetting(reading, key, { name, value });
    seen.add(own);
  }
}

function readSetting(
  reading: Reading,
  key: string,
  { name, value }: { readonly name: Node; readonly value: Node },
): void {
  if (key === schemaKey) return;
  const known = settingKeys.find((one) => one === key);
  if (known !== undefined) {
    readValue(reading, known, readInside(reading, known, value));
    return;
  }
  const isGroup = settingKeys.some((one) => one.startsWith(`${key}.`));
  if (!isGroup) {
    const message = `there is no setting ${makeVisible(key)}`;
    complain(reading, name.offset, { message, hint: hintFor(key) });
  } else if (value.type === 'object') readObject(reading, value, `${key}.`);
  else complain(reading, value.offset, `${key} is not a { … } object`);
}

/* Settings that lie inside of an object that is a setting itself, as `agents.visibility`: what is left is the object's own. */
function readInside(reading: Reading, key: SettingKey, node: Node): Node {
  const isInside = (property: Node): boolean => {
    const name = `${key}.${String(property.children?.[0]?.value)}`;
    return settingKeys.some((one) => one === name);
  };
  if (node.type !== 'object' || !node.children?.some(isInside)) return node;
  readObject(reading, { ...node, children: node.children.filter(isInside) }, `${key}.`);
  return { ...node, children: node.children.filter((property) => !isInside(property)) };
}

function readValue(reading: Reading, key: SettingKey, value: Node): void {
  try {
    const { kind } = settingOf(key);
    const json = kind.isObject === true ? objectOf(reading, value) : plainValue(value);
    const parsed = kind.fromJson(key, json);
    reading.entries.set(key, { value: parsed, ...positionAt(reading.text, value.offset) });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    complain(reading, value.offset, error);
  }
}

/* Without a prototype, so that any key is a key. One that is there twice is told, as everywhere. */
function objectOf(reading: Reading, node: Node): unknown {
  if (node.type !== 'object') return plainValue(node);
  const object = Object.create(null) as Record<string, unknown>;
  for (const property of node.children ?? []) {
    const [name, value] = property.children ?? [];
    if (name === undefined || value === undefined) continue;
    const own = String(name.value);
    if (own in object) complain(reading, name.offset, `${makeVisible(own)} is there twice`);
    else object[own] = objectOf(reading, value);
  }
  return object;
}

/* The library's own `getNodeValue` sets __proto__ as any other key; ours makes no objects. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  return node.type === 'object' ? '{ … }' : (node.value as unknown);
}

/* The nearest whole key, or the nearest last word under another group. */
function hintFor(key: string): string {
  const nearest = suggestNearest(key, settingKeys);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  const last = key.slice(key.lastIndexOf('.') + 1);
  const namesake = settingKeys.find((one) => one.endsWith(`.${last}`));
  return namesake === undefined ? 'All settings: clf config show' : `Did you mean ${namesake}?`;
}

interface Complaint {
  readonly message: string;
  readonly hint?: string | undefined;
}

function complain(reading: Reading, offset: number, complaint: string | Complaint): void {
  const { message, hint } = typeof complaint === 'string' ? { message: complaint } : complaint;
  reading.problems.push({ ...positionAt(reading.text, offset), message, hint });
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/* `CommaExpected` as "comma expected". */
function wordsOf({ error }: ParseError): string {
  const name = printParseErrorCode(error);
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace('close brace', '}')
    .replace('close bracket', ']');
}
