/*
 * Rule: no notes to oneself. What is left to do is an issue, or is done.
 */
import type { Finding, Tree } from '../tree.ts';

/* Put together here, so that this file does not accuse itself. */
const words = ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'];
const pattern = new RegExp(`\\b(?:${words.join('|')})\\b`);

export function checkUnfinishedWork(tree: Tree): readonly Finding[] {
  return [...tree].flatMap(([path, text]) => {
    if (path === 'package-lock.json') return [];
    const line = text.split('\n').findIndex((content) => pattern.test(content));
    return line === -1 ? [] : [{ path, message: `line ${line + 1} is a note to oneself` }];
  });
}
