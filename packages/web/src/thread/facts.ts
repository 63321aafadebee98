/*
 * Words for what agents send: any shape is possible, and nothing is thrown away.
 */
type Facts = Readonly<Record<string, unknown>>;

export function titleOf({ title, kind }: Facts): string {
  return wordOf(title) ?? wordOf(kind) ?? 'tool';
}

/* Undefined: it is no text, or an empty one. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/* The text of ACP content, or the JSON of what has none. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (typeof content !== 'object' || content === null) return JSON.stringify(content) ?? '';
  const facts = content as Facts;
  const { text, type, path, newText } = facts;
  if (typeof text === 'string') return text;
  if (type === 'content') return textOf(facts['content']);
  if (type === 'diff') return `${textOf(path)}\n${textOf(newText)}`;
  return JSON.stringify(content, undefined, 2);
}
