/*
 * What an answer to an ask came to, in a word: what was chosen counts by its kind, since ids and names of options are the agent's. Pure.
 */
import type { Mood } from '../parts/rows.tsx';
import type { Ask } from '../text/thread-words.ts';

export interface AnswerWord {
  readonly word: string;
  readonly mood: Mood;
}

const words: Readonly<Record<string, AnswerWord>> = {
  allow_once: { word: 'allowed', mood: 'good' },
  allow_always: { word: 'allowed always', mood: 'good' },
  reject_once: { word: 'denied', mood: 'bad' },
  reject_always: { word: 'denied always', mood: 'bad' },
  decline: { word: 'declined', mood: 'plain' },
  cancel: { word: 'dropped', mood: 'plain' },
};

/* Of what is not known to allow, nothing good is said. */
const other: AnswerWord = { word: 'answered', mood: 'plain' };

export function wordOfAnswer(kind: unknown): AnswerWord {
  return (typeof kind === 'string' && words[kind]) || other;
}

/* What wants to be done needs a permission, whoever would do it. */
export function nameOfAsk({ class: kind }: Pick<Ask, 'class'>): string {
  return kind === 'question' ? 'Question' : 'Permission';
}
