/*
 * A question with a time limit. A late answer is ignored.
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
    // To the caller, a late answer and a failure are the same.
    return undefined;
  }
}
