/*
 * What the shell itself reads when it runs a line: files that it opens for `<`, and the names in directories that it fills in
 * for a pattern. What a variable or a substitution brings, unquoted, may be a pattern too.
 */
import { forEachChild, type SyntaxNode } from './parse-line.ts';
import { plainTextOf } from './words.ts';

export interface LineReads {
  readonly files: boolean;
  /* The first word that names may be filled in for. */
  readonly names: string | undefined;
}

const patterns: ReadonlySet<SyntaxNode['type']> = new Set([
  'Glob',
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
]);

/* `line` is what `tree` was parsed from. */
export function readsOfLine(tree: SyntaxNode, line: string): LineReads {
  let files = false;
  let names: string | undefined;
  const visit = (node: SyntaxNode, isQuoted: boolean): void => {
    files ||= opensFile(node);
    if (!isQuoted && patterns.has(node.type)) names ??= line.slice(node.pos, node.end);
    // A substitution is a line of its own, whatever quotes it stands in.
    const quotes = node.type !== 'CommandExpansion' && (isQuoted || node.type === 'DoubleQuoted');
    forEachChild(node, (child) => visit(child, quotes));
  };
  visit(tree, false);
  return { files, names };
}

function opensFile(node: SyntaxNode): boolean {
  return (
    node.type === 'Redirect' && node.operator === '<' && plainTextOf(node.target) !== '/dev/null'
  );
}
