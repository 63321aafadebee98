/*
 * A call of a tool in one line: what is done, and to what.
 */
import { formatForReader } from '../../text/reader-text.ts';
import { type Facts, isFacts, titleOf, wordOf } from '../facts.ts';

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
