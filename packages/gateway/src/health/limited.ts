/*
 * A question with a time limit. What does not answer in time is left to itself; its late answer is nobody's.
 */
import { type Clock, within } from '@clawdfather/kit';

export async function limited<Value>(
  clock: Clock,
  msMax: number,
  question: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await within(question, { clock, ms: msMax, late: () => undefined });
  } catch {
    // No answer, for whoever asks: late and broken are the same to them.
    return undefined;
  }
}
