/*
 * Words for what agents send: any shape is possible, and nothing is thrown away.
 */
export type Facts = Readonly<Record<string, unknown>>;

export function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
  if (!isFacts(content)) return JSON.stringify(content) ?? '';
  const { text, type, path, newText } = content;
  if (typeof text === 'string') return text;
  if (type === 'content') return textOf(content['content']);
  if (type === 'diff') return `${textOf(path)}\n${textOf(newText)}`;
  return JSON.stringify(content, undefined, 2);
}
