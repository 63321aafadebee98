/*
 * What is wrong with an agent's arguments, in words that say what to do.
 *
 * An agent reads the message and tries again; it should get it right the second time. So each finding names the argument,
 * what was expected, and where a name is misspelt or belongs to another action, what there is instead. The issues must carry
 * their input (`reportInput`), since an absent argument is told as such.
 */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/* More would only bury the first ones. */
const issuesMax = 5;

export function explainIssues(
  issues: readonly Issue[],
  knownNames: readonly string[],
  hint: (name: string) => string | undefined = () => undefined,
): string {
  const sentences = issues.slice(0, issuesMax).map((issue) => explain(issue, knownNames, hint));
  const more = issues.length - issuesMax;
  return [...sentences, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

function explain(
  issue: Issue,
  knownNames: readonly string[],
  hint: (name: string) => string | undefined,
): string {
  const path = issue.path.map(String).join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownName(key, knownNames, hint)).join(' ');
    case 'invalid_type':
      return issue.input === undefined
        ? `"${path}" is missing.`
        : `"${path}" must be of type ${issue.expected}.`;
    case 'too_small':
      return `"${path}" must ${amountOf(issue.origin, 'at least', issue.minimum)}.`;
    case 'too_big':
      return `"${path}" must ${amountOf(issue.origin, 'at most', issue.maximum)}.`;
    case 'invalid_value':
      return `"${path}" must be one of: ${issue.values.map(String).join(', ')}.`;
    default:
      return path === '' ? sentence(issue.message) : `"${path}": ${sentence(issue.message)}`;
  }
}

function unknownName(
  name: string,
  knownNames: readonly string[],
  hint: (name: string) => string | undefined,
): string {
  const said = hint(name);
  if (said !== undefined) return said;
  return `There is no "${name}" here; known are: ${knownNames.join(', ')}.`;
}

function amountOf(origin: string, bound: string, amount: number | bigint): string {
  const unit = { string: 'character', array: 'item' }[origin];
  if (unit === undefined) return `be ${bound} ${amount}`;
  return `have ${bound} ${amount} ${unit}${Number(amount) === 1 ? '' : 's'}`;
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return upper.endsWith('.') ? upper : `${upper}.`;
}
