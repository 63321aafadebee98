/*
 * What became of a request or an ask, in a sentence. Pure.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Mood } from '../parts/rows.tsx';
import type { Ask } from '../text/thread-words.ts';
import { wordOfAnswer } from './answer-words.ts';

export type Approval = AnswerOf<Api['approvals']['get']>;

export interface Outcome {
  readonly word: string;
  readonly mood: Mood;
  readonly text: string;
}

/* Undefined: it still waits. `who` has decided it, `at` says when. */
export function outcomeOf(
  { state, changed, askedAgainAs }: Pick<Approval, 'state' | 'changed' | 'askedAgainAs'>,
  who: string,
  at: string,
): Outcome | undefined {
  switch (state) {
    case 'pending':
      return undefined;
    case 'allowed':
    case 'started':
      return { word: 'allowed', mood: 'good', text: `Allowed by ${who}, ${at}.` };
    case 'denied':
      return { word: 'denied', mood: 'bad', text: `Denied by ${who}, ${at}.` };
    case 'expired':
      return { word: 'expired', mood: 'plain', text: 'Nobody decided in time. Nothing started.' };
    case 'changed': {
      const again = askedAgainAs === null ? '' : ' It was asked again.';
      const why = changed ?? 'something has changed since it was asked for';
      return { word: 'changed', mood: 'waiting', text: `Nothing started: ${why}.${again}` };
    }
  }
}

/* Undefined: it still waits. */
export function outcomeOfAsk(
  { state, answer_kind: kind }: Pick<Ask, 'state' | 'answer_kind'>,
  who: string,
  at: string,
): Outcome | undefined {
  switch (state) {
    case 'open':
      return undefined;
    case 'answered':
    case 'acting': {
      // Only what is allowed is being done.
      const answer = wordOfAnswer(state === 'acting' ? (kind ?? 'allow_once') : kind);
      const [first = '', ...rest] = answer.word;
      return { ...answer, text: `${first.toUpperCase()}${rest.join('')} by ${who}, ${at}.` };
    }
    case 'withdrawn':
      return { word: 'withdrawn', mood: 'plain', text: 'The agent does not ask any more.' };
    case 'void':
      return { word: 'over', mood: 'plain', text: 'The agent that asked is gone.' };
  }
}
