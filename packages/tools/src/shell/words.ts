/*
 * What can be said of a word before it is expanded. Only raw text of plain characters counts as known: no quote, no
 * backslash, no expansion of any kind, so that nothing depends on how a shell takes them off.
 */
import { checkEnvAdditions } from '../environment/check-additions.ts';
import type { Assignment, CommandArgument } from './parse-line.ts';

const plain = /^[A-Za-z0-9_.,/+=@:%!-]+$/;
const name = /^[A-Za-z_][A-Za-z0-9_]*$/;

/* The word's value if it is plain, else undefined. */
export function plainTextOf(word: CommandArgument | undefined): string | undefined {
  return word !== undefined && plain.test(word.text) ? word.text : undefined;
}

/* Exactly one word after expansion, whatever it holds: a plain one, or one pair of quotes around everything. */
export function isOneWord(word: CommandArgument): boolean {
  if (plain.test(word.text)) return true;
  if (word.type !== 'Word' || word.parts?.length !== 1) return false;
  const [part] = word.parts;
  if (part?.type === 'SingleQuoted') return true;
  // "$@" and "${a[@]}" become several.
  return part?.type === 'DoubleQuoted' && !/[@*]/.test(part.text);
}

/* Names that steer the shell or the programs it runs may not be set by a line, to whatever value. */
export function isHarmlessName(text: string): boolean {
  return name.test(text) && checkEnvAdditions({ [text]: 'x' }).length === 0;
}

/* A plain `name=value`. `a+=b` and `a[1]=b` are commands to dash, lists are a syntax error. */
export function isHarmlessAssignment(assignment: Assignment): boolean {
  const { append, index, value } = assignment;
  const isPlain = append !== true && index === undefined && value.type === 'Word';
  return isPlain && isHarmlessName(assignment.name);
}
