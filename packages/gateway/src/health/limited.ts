/*
 * A question with a time limit. What does not answer in time is left to itself; its late answer is nobody's.
 */
import type { Clock } from '@clawdfather/kit';

export async function limited<Value>(
  clock: Clock,
  msMax: number,
  question: Promise<Value>,
): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const limit = clock.timer(msMax, () => resolve(undefined));
  limit.unref();
  try {
    return await Promise.race([question, late]);
  } catch {
    // No answer, for whoever asks: late and broken are the same to them.
    return undefined;
  } finally {
    limit.cancel();
  }
}
