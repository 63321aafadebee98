/*
 * The one place that knows the shell parser (unbash; why this one: docs/decisions/0007).
 *
 * It parses bash. commands-of-line.ts refuses what dash reads differently.
 */
import { forEachChild, parse, type SyntaxNode } from 'unbash';

export type {
  Assignment,
  Command,
  CommandArgument,
  CommandExpansionPart,
  HereDoc,
  ParameterExpansionPart,
  Redirect,
  SyntaxNode,
} from 'unbash';

export { forEachChild };

export function parseLine(line: string): SyntaxNode {
  return parse(line);
}

/* Also of scripts inside substitutions, which the parser reports on their own nodes. */
export function errorOf(node: SyntaxNode): string | undefined {
  return node.type === 'Script' ? node.errors?.[0]?.message : undefined;
}
