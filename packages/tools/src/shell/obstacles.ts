/*
 * Where shells disagree, or a line reaches further than its programs: redirections, here-documents, substitutions,
 * parameters. Each function gives the reason in a few words, or nothing. The rules (L2 to L6) are in commands-of-line.ts.
 */
import type {
  CommandExpansionPart,
  HereDoc,
  ParameterExpansionPart,
  Redirect,
} from './parse-line.ts';
import { isHarmlessName, plainTextOf } from './words.ts';

/* Where a node stands: some things are fine on top and not inside a substitution. */
export type Nesting = 'top' | 'substitution';

/* L3. Reading is what programs do anyway; but bash makes connections of /dev/tcp/… */
export function redirectObstacle(redirect: Redirect): string | undefined {
  const { operator, descriptor } = redirect;
  const target = plainTextOf(redirect.target);
  const isPlainDescriptor =
    descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value < 10);
  if (target === undefined || !isPlainDescriptor) return 'a redirection that is not plain text';
  switch (operator) {
    case '<':
      return target === '/dev/null' || !target.startsWith('/dev/')
        ? undefined
        : 'it opens a device';
    case '>':
    case '>>':
      return target === '/dev/null' ? undefined : `it writes to ${target}`;
    case '<&':
    case '>&':
      return /^([0-9]|-)$/.test(target) ? undefined : `it writes to ${target}`;
    default:
      return `it opens ${target} with ${operator}`;
  }
}

/* L6 */
export function hereDocumentObstacle(document: HereDoc, nesting: Nesting): string | undefined {
  const { delimiter, body, closing } = document;
  const isPlain = /^([A-Za-z_]+|'[A-Za-z_]+')$/.test(delimiter?.text ?? '');
  if (nesting !== 'top' || !isPlain || closing === undefined || document.descriptor !== undefined) {
    return 'a here-document that shells read differently';
  }
  if (delimiter?.quoted === true) return undefined;
  if (/[\\`]/.test(body.text)) return 'a here-document with backslashes or backquotes';
  return body.parts?.some(({ text }) => text.startsWith('$') && text.includes('\n')) === true
    ? 'a here-document with a substitution of several lines'
    : undefined;
}

/* L4, L5 */
export function substitutionObstacle({ text }: CommandExpansionPart): string | undefined {
  if (text.startsWith('`')) {
    return /[\\"'#]/.test(text) ? 'backquotes with quotes, backslashes or # in them' : undefined;
  }
  const isUsual = text.startsWith('$(') && !text.startsWith('$((');
  return isUsual ? undefined : 'a substitution that sh and bash read differently';
}

const posixParameter = /^([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])$/;

/* L2, L5. Bash's own operations evaluate what they find: `${!x}`, `${x@P}`, `${x:1}`, `${x[1]}`. */
export function parameterObstacle(part: ParameterExpansionPart): string | undefined {
  const { parameter, prefix, index, operation } = part;
  const isPosix =
    posixParameter.test(parameter) &&
    prefix !== '!' &&
    index === undefined &&
    (operation === undefined || operation.type === 'Default' || operation.type === 'Remove');
  if (!isPosix) return 'an expansion that only bash has';
  if (operation === undefined) return undefined;
  if (/[\\"'`{}]/.test(part.text.slice(2, -1))) return 'an expansion with quotes or braces in it';
  const isSetting = operation.operator === '=' || operation.operator === ':=';
  return isSetting && !isHarmlessName(parameter) ? `it sets ${parameter}` : undefined;
}
