/*
 * The few kinds of words that are told apart by colour, and what the highlighter calls them. Its other names are plain text.
 */
export const codeKinds = [
  'comment',
  'keyword',
  'string',
  'number',
  'name',
  'type',
  'added',
  'removed',
] as const;

export type CodeKind = (typeof codeKinds)[number];

const kinds: ReadonlyMap<string, CodeKind> = new Map([
  ['hljs-comment', 'comment'],
  ['hljs-quote', 'comment'],
  ['hljs-doctag', 'comment'],
  ['hljs-meta', 'comment'],
  ['hljs-keyword', 'keyword'],
  ['hljs-literal', 'keyword'],
  ['hljs-selector-tag', 'keyword'],
  ['hljs-tag', 'keyword'],
  ['hljs-section', 'keyword'],
  ['hljs-string', 'string'],
  ['hljs-regexp', 'string'],
  ['hljs-symbol', 'string'],
  ['hljs-link', 'string'],
  ['hljs-number', 'number'],
  ['hljs-bullet', 'number'],
  ['hljs-title', 'name'],
  ['hljs-attr', 'name'],
  ['hljs-attribute', 'name'],
  ['hljs-property', 'name'],
  ['hljs-name', 'name'],
  ['hljs-selector-class', 'name'],
  ['hljs-selector-id', 'name'],
  ['hljs-type', 'type'],
  ['hljs-built_in', 'type'],
  ['hljs-variable', 'type'],
  ['hljs-template-variable', 'type'],
  ['hljs-addition', 'added'],
  ['hljs-deletion', 'removed'],
]);

/* Undefined: it has no colour of its own. */
export function kindOfClasses(classes: readonly unknown[]): CodeKind | undefined {
  for (const name of classes) {
    const kind = typeof name === 'string' ? kinds.get(name) : undefined;
    if (kind !== undefined) return kind;
  }
  return undefined;
}
