/*
 * What an agent asks, whole: everything that it sent about it, with hidden characters shown by their codes, so that a title cannot
 * stand for something else than is done. Pure.
 */
import { makeLinesVisible, makeVisible } from '@clawdfather/kit';
import type { Ask } from '../text/thread-words.ts';

export interface AskFacts {
  /* What it comes to: a command, a path, or the words of the agent. */
  readonly exact: string;
  /* Further parts of what was sent, each with its name. */
  readonly parts: readonly { readonly name: string; readonly text: string }[];
}

export function factsOfAsk({ title, params, class: kind }: Ask): AskFacts {
  if (kind === 'question') return { exact: title, parts: [] };
  const call = kind === 'effect' ? params : fieldsOf(params['toolCall']);
  const input = kind === 'effect' ? params : fieldsOf(call['rawInput']);
  const command = commandOf(input);
  const exact = command ?? (title === '' ? formatValue(call['rawInput']) : title);
  const rest = Object.entries(input).filter(
    ([name, value]) => !unsaid.has(name) && value !== undefined && !isSaid(value, exact),
  );
  const parts = rest.map(([name, value]) => ({
    name: makeVisible(name),
    text: formatValue(value),
  }));
  const content = contentOf(call['content'], exact);
  const says = command !== undefined && title !== '' && !isSaid(title, exact);
  return {
    exact,
    parts: [...(says ? [{ name: 'says', text: title }] : []), ...parts, ...content],
  };
}

/* Ids for programs. */
const unsaid: ReadonlySet<string> = new Set(['sessionId', 'toolCallId']);

function commandOf(input: Fields): string | undefined {
  const { command, args } = input;
  const words = [command, ...(Array.isArray(args) ? args : [])];
  if (typeof command !== 'string' && !Array.isArray(command)) return undefined;
  return makeLinesVisible(words.flat().map(String).join(' '));
}

function contentOf(content: unknown, exact: string): AskFacts['parts'] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((entry: unknown) => {
    const { type, path, oldText, newText, content: inner } = fieldsOf(entry);
    if (type === 'diff') {
      const name = `writes ${makeVisible(String(path))}`;
      const before = typeof oldText === 'string' ? marked(oldText, '− ') : '';
      return [{ name, text: `${before}${marked(formatValue(newText), '+ ')}` }];
    }
    const text = fieldsOf(inner)['text'];
    if (typeof text !== 'string' || isSaid(text, exact)) return [];
    return [{ name: 'says', text: makeLinesVisible(text) }];
  });
}

function marked(text: string, mark: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line) => `${mark}${makeVisible(line)}\n`).join('');
}

function formatValue(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return makeLinesVisible(text);
}

function isSaid(value: unknown, exact: string): boolean {
  return typeof value === 'string' && makeLinesVisible(value) === exact;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}
