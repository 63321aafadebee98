/*
 * What is asked in a turn and what has to be answered, from the turn's nonce alone: so whoever is killed in between leaves nothing that the
 * next one has to know.
 */
import { createHash } from 'node:crypto';
import { createChance } from '../plan/chance.ts';

export interface TurnPlan {
  readonly nonce: string;
  /* For the echoing agent: text, a tool with an effect, perhaps a permission, and text again. */
  readonly prompt: string;
  readonly isAsking: boolean;
  /* `answered`: the option that the agent was given. */
  readonly textOf: (answered: string | undefined) => string;
}

const wordsMax = 40;

export function planTurn(threadId: string, index: number): TurnPlan {
  const nonce = `${threadId}-${index}`;
  const chance = createChance(createHash('sha256').update(nonce).digest().readUInt32BE());
  const words = chance.between(1, wordsMax);
  const isAsking = chance.isLucky(0.5);
  const end = `${nonce} \u00e4\u{1f600} end`;
  const lines = [
    `say ${words} words`,
    `effect: ${nonce}`,
    ...(isAsking ? [`ask: ${nonce}`] : []),
    end,
  ];
  const said = Array.from({ length: words }, (_, at) => `word-${at + 1}`).join(' ');
  return {
    nonce,
    prompt: lines.join('\n'),
    isAsking,
    textOf: (answered) => `${said}${isAsking ? `${nonce}: ${answered}\n` : ''}${end}`,
  };
}

/* A message of a client, with its place in the thread. */
export function messageIdOf(index: number): string {
  return `turn-${index}`;
}

export function indexOfMessage(messageId: string | undefined): number {
  return Number(messageId?.slice('turn-'.length));
}
