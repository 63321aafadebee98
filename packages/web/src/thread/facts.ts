/*
 * Words for what agents send: any shape is possible, and nothing is thrown away.
 */
type Facts = Readonly<Record<string, unknown>>;

export function titleOf(call: Facts): string {
  const { title, kind } = call;
  if (typeof title === 'string' && title !== '') return title;
  return typeof kind === 'string' ? kind : 'tool';
}

/* The text of ACP content, or the JSON of what has none. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (typeof content !== 'object' || content === null) return String(content ?? '');
  const facts = content as Facts;
  if (typeof facts['text'] === 'string') return facts['text'];
  if (facts['type'] === 'content') return textOf(facts['content']);
  if (facts['type'] === 'diff')
    return `${String(facts['path'])}\n${String(facts['newText'] ?? '')}`;
  return JSON.stringify(content, undefined, 2);
}
