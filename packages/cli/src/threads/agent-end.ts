/*
 * What is said when an agent's process ends in the middle of a turn. The end of the turn says why by itself, and follows at once; what the
 * agent wrote to its standard error before is shown then, because that is where programs say what is wrong. Where the turn goes on, such as
 * with another process, it is said that the agent has ended.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { type ThreadFact, textAt } from './thread-fact.ts';
import type { ThreadEvent } from './thread-types.ts';

/* Enough for a message with its reason; a stack is mostly longer. */
const linesMax = 12;

export class AgentEnd {
  #lines: readonly string[] = [];
  #partial = '';
  /* It has ended, and what follows from it is not known yet. */
  #message: string | undefined;

  /* What is to be said before this event is shown. */
  take(event: ThreadEvent, fact: ThreadFact | undefined): string | undefined {
    if (event.type === 'noise') this.#hear(event);
    const message = this.#message;
    this.#message = undefined;
    if (fact?.kind === 'notice' && fact.event === 'agent-ended') this.#message = fact.message;
    if (message === undefined) return undefined;
    if (fact?.kind !== 'turn-end') return formatNotice(message);
    return fact.end.status === 'failed' || fact.end.status === 'interrupted'
      ? this.#lastWords(fact.end.message)
      : undefined;
  }

  #hear({ payload }: ThreadEvent): void {
    if (payload['stream'] !== 'stderr') return;
    const lines = `${this.#partial}${textAt(payload, 'text') ?? ''}`.split('\n');
    this.#partial = lines.pop() ?? '';
    this.#lines = [...this.#lines, ...lines].slice(-linesMax);
  }

  /* Unless the end of the turn says all of it. */
  #lastWords(told = ''): string | undefined {
    const lines = [...this.#lines, this.#partial].filter((line) => line.trim() !== '');
    const [only] = lines;
    if (only === undefined || (lines.length === 1 && told.includes(only.trim()))) return undefined;
    return `clf: the agent wrote\n${lines.map((line) => `  | ${makeVisible(line)}\n`).join('')}`;
  }
}

export function formatNotice(message: string): string {
  return `clf: ${makeVisible(message)}\n`;
}
