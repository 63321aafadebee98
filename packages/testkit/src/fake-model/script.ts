/*
 * What the fake model says, as data.
 *
 * A test makes a nonce, gives the model a script for it, and writes the nonce into a prompt. The agent sends the whole conversation
 * with each request, so the newest nonce in it says which script applies, and the number of tool results after it says which round.
 * Nothing is counted here: a request that an agent repeats gets the same answer again, and the log shows both.
 */
import { createHash } from 'node:crypto';
import type { Random } from '@clawdfather/kit';
import { createSeededRandom } from '../seeded-random.ts';

export type ModelStep =
  /** Each piece is an event of its own in the stream. */
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  /** Everything before it has been sent; what follows waits until the test releases the gate of this name. */
  | { readonly kind: 'gate'; readonly name: string }
  /**
   * A command by whichever shell tool the agent offers. Most agents ask for permission by themselves; codex runs it in a sandbox of
   * its own, and asks only when the model wants it outside: `asks`.
   */
  | { readonly kind: 'shell'; readonly command: string; readonly asks?: true }
  /** The tool that has this name, or whose name ends with it: agents put the name of the MCP server before it. */
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** The request is refused with this HTTP status. Only as the first step of a round. */
  | { readonly kind: 'refuse'; readonly status: number; readonly message: string };

/** One request's answer. A round that calls a tool is followed by the round that sees its result. */
export type ModelRound = readonly ModelStep[];

const noncePattern = /\bnonce-[0-9a-hjkmnp-tv-z]{16}\b/g;

export function createNonce(random: Random): string {
  return `nonce-${random.id()}`;
}

export function findNonces(text: string): readonly string[] {
  return text.match(noncePattern) ?? [];
}

export function sayModel(text: string): ModelStep {
  return { kind: 'text', pieces: [text] };
}

/** The same seed gives the same words, cut at the same places; some have two, three or four bytes a character. */
export function saySeeded(seed: number, words: number): ModelStep & { readonly kind: 'text' } {
  const random = createSeededRandom(seed);
  const pieces = [''];
  for (let index = 0; index < words; index += 1) {
    const [pick = 0, cut = 0] = random.bytes(2);
    const word = vocabulary[pick % vocabulary.length] ?? '';
    // Numbered, so that a lost or doubled piece is seen at a glance.
    pieces[pieces.length - 1] += `${word}${index} `;
    if (cut < 128) pieces.push('');
  }
  return { kind: 'text', pieces: pieces.filter((piece) => piece !== '') };
}

/** What the person has to see at the end, and its hash. */
export function wholeText(rounds: readonly ModelRound[]): {
  readonly text: string;
  readonly sha256: string;
} {
  const text = rounds
    .flat()
    .flatMap((step) => (step.kind === 'text' ? step.pieces : []))
    .join('');
  return { text, sha256: createHash('sha256').update(text).digest('hex') };
}

/* No markup and no line ends: agents trim or render those. */
const vocabulary = ['sea', 'grün', 'forêt', '川', 'шаг', 'stone', '🜂', 'wind', 'naïve', 'oak'];
