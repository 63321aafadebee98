/*
 * Tries an agent that speaks no protocol: it was started with a prompt, and what it writes until it ends is the answer.
 */
import type { Clock } from '@clawdfather/kit';
import { type ManagedRun, outputStart } from '@clawdfather/supervisor';
import { createTextReader } from '../wire/text-reader.ts';
import { keepLines } from './last-lines.ts';
import type { ProbeResult, ProbeStep } from './probe-result.ts';

export interface OnceProbeDeps {
  readonly run: Pick<ManagedRun, 'transcript' | 'write' | 'end' | 'wait'>;
  /* Goes to its input; absent: it has it as an argument. */
  readonly input?: string | undefined;
  readonly clock: Clock;
  readonly onStep?: ((step: ProbeStep) => void) | undefined;
}

export async function probeOnce(
  { run, input, clock, onStep }: OnceProbeDeps,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const beganMs = clock.monotonicMs();
  if (input !== undefined) {
    await run.write(input, { offset: 0 });
    await run.end(Buffer.byteLength(input));
  }
  let answer = '';
  const stderr: string[] = [];
  const reader = createTextReader(outputStart);
  const take = (steps: ReturnType<typeof reader.push>): void => {
    for (const item of steps.flatMap(({ items }) => items)) {
      if (item.kind === 'text') answer += item.text;
      else if (item.kind === 'stderr') keepLines(stderr, item.text);
    }
  };
  for await (const event of run.transcript(outputStart, signal)) take(reader.push(event));
  take(reader.end());
  const { reason, code, signal: died } = await run.wait(signal);
  const heard = { signInWays: [], stderr, noise: [], answer };
  if (reason === 'exit' && code === 0) {
    const step = { name: 'prompt', ms: Math.round(clock.monotonicMs() - beganMs) } as const;
    onStep?.(step);
    return { outcome: 'works', steps: [step], ...heard };
  }
  const isSlow = reason === 'no-output-timeout' || reason === 'overall-timeout';
  const message = isSlow
    ? 'it was ended because it took too long'
    : `it ended with ${code === undefined ? (died ?? reason) : `code ${code}`}`;
  const outcome = isSlow ? 'too-slow' : 'exited';
  return { outcome, steps: [], failedAt: 'prompt', message, ...heard };
}
