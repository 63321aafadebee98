/*
 * What the agent of a drill says, made from a seed: the agent and the drill make it each for itself, so the text that is expected never
 * passes through what is tested.
 */
import { createHash } from 'node:crypto';

/* About 100 KB in all: thousands of events, and still said within a moment. */
const piecesMax = 1_200;

export interface AnswerText {
  readonly pieces: readonly string[];
  readonly bytes: number;
  readonly sha256: string;
}

/* Characters of one to four bytes, so that a cut in the wrong place shows. */
export function createAnswer(seed: string): AnswerText {
  const pieces = Array.from({ length: piecesMax }, (_, index) => {
    const word = createHash('sha256').update(`${seed} ${index}`).digest('hex');
    return `${index} ${word} \u00e4\u20ac\u{1f600}\n`;
  });
  return { pieces, ...digestOf(pieces.join('')) };
}

export function digestOf(text: string): { readonly bytes: number; readonly sha256: string } {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
