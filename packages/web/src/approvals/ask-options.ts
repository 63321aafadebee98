/*
 * The answers that an agent offers, by what they mean: one that allows once and one that denies stand in the bar, the others are one
 * step further. The words of the buttons are ours: an agent cannot call its yes a no. Pure.
 */
import type { Ask } from '../text/thread-words.ts';
import type { Leaning } from './next-arming.ts';

export type AskOption = Ask['options'][number];

export interface SortedOptions {
  readonly allow: AskOption | undefined;
  readonly deny: AskOption | undefined;
  readonly others: readonly AskOption[];
}

export function sortOptions(options: readonly AskOption[]): SortedOptions {
  const allow = options.find(({ kind }) => kind === 'allow_once');
  const deny = options.find(({ kind }) => kind === 'reject_once');
  return { allow, deny, others: options.filter((option) => option !== allow && option !== deny) };
}

export function leaningOf({ kind }: Pick<AskOption, 'kind'>): Leaning {
  return kind.startsWith('reject') ? 'denies' : 'allows';
}

const words: Readonly<Record<string, string>> = {
  allow_once: 'Allow once',
  allow_always: 'Allow always',
  reject_once: 'Deny',
  reject_always: 'Deny always',
};

export function wordOfOption({ kind }: Pick<AskOption, 'kind'>): string {
  return words[kind] ?? 'Answer';
}

/* The agent's own word adds nothing to ours. */
export function saysTheSame({ kind, name }: AskOption): boolean {
  return plainNames[kind]?.includes(name.toLowerCase()) === true;
}

const plainNames: Readonly<Record<string, readonly string[]>> = {
  allow_once: ['allow once', 'allow', 'yes', 'approve', 'accept'],
  allow_always: ['allow always', 'always allow', 'always'],
  reject_once: ['deny', 'reject', 'no', 'reject once', 'decline'],
  reject_always: ['deny always', 'reject always', 'never'],
};
