/*
 * A call of a tool in words: in one line what is done, and to what; and what it was given, changed and gave.
 */
import { formatForReader } from '../../text/reader-text.ts';
import { type Facts, isFacts, textOf, titleOf, wordOf } from '../facts.ts';

const verbs: Readonly<Record<string, string>> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  think: 'Think',
  fetch: 'Fetch',
  switch_mode: 'Switch',
};

/* More does not fit a line. */
const shownMax = 300;

export function toolWords(call: Facts): { readonly verb: string; readonly object: string } {
  const kind = wordOf(call['kind']) ?? 'other';
  const title = formatForReader(
    titleOf(call)
      .slice(0, shownMax)
      .replaceAll(/[\n\t]+/g, ' '),
  );
  const verb = verbs[kind] ?? 'Tool';
  const bare = title.replaceAll('`', '');
  const first = bare.split(' ', 1)[0] ?? '';
  const isSaid = first.toLowerCase() === verb.toLowerCase();
  if (isSaid && bare.length > first.length) return { verb, object: bare.slice(first.length + 1) };
  if (bare.toLowerCase() === kind) return { verb, object: placeOf(call) };
  return { verb, object: bare };
}

function placeOf({ locations }: Facts): string {
  const first: unknown = Array.isArray(locations) ? locations[0] : undefined;
  return isFacts(first) ? formatForReader(wordOf(first['path']) ?? '') : '';
}

/* The runs that a call has started in terminals of ours. */
export function runsOf({ content }: Facts): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((one: unknown) => {
    const id = isFacts(one) && one['type'] === 'terminal' ? wordOf(one['terminalId']) : undefined;
    return id === undefined ? [] : [id];
  });
}

export interface ToldDiff {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

export function diffsOf({ content }: Facts): readonly ToldDiff[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isFacts).flatMap((one) => {
    const { type, path, oldText, newText } = one;
    if (type !== 'diff') return [];
    return [
      { path: wordOf(path) ?? '', oldText: wordOf(oldText) ?? '', newText: wordOf(newText) ?? '' },
    ];
  });
}

/* Of a diff: lines that went, or came. */
export function signed(sign: string, text: string): string {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign} ${line}`)
    .join('\n');
}

/* A command as it was typed; other arguments as JSON. */
export function givenOf({ rawInput }: Facts): string {
  if (!isFacts(rawInput)) return rawInput === undefined ? '' : textOf(rawInput);
  const { command } = rawInput;
  if (typeof command === 'string') return `$ ${command}`;
  if (Array.isArray(command)) return `$ ${command.map(textOf).join(' ')}`;
  return Object.keys(rawInput).length === 0 ? '' : JSON.stringify(rawInput, undefined, 2);
}

export function outputOf({ content, rawOutput }: Facts): string {
  const texts = Array.isArray(content)
    ? content.filter((one) => !isFacts(one) || !['diff', 'terminal'].includes(String(one['type'])))
    : [];
  if (texts.length > 0) return textOf(texts);
  if (isFacts(rawOutput)) {
    const said = wordOf(rawOutput['output']) ?? wordOf(rawOutput['stdout']);
    if (said !== undefined) return said;
  }
  const isTold = Array.isArray(content) && content.length > 0;
  return rawOutput === undefined || isTold ? '' : textOf(rawOutput);
}
