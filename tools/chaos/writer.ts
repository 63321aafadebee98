/*
 * The command that chaos runs are made of: `writer.ts PLAN` writes the plan's lines and exits with the plan's code.
 *
 * Writes are synchronous, so the order of lines on a terminal is the order of the plan.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { plannedLines, type WriterPlan } from './plan/lines.ts';

const plan = JSON.parse(process.argv[2] ?? '') as WriterPlan;

for (const { stream, text, pauseMs } of plannedLines(plan)) {
  if (pauseMs > 0) await sleep(pauseMs);
  await writeAll(stream === 'stdout' ? 1 : 2, Buffer.from(text));
}
process.exitCode = plan.exitCode;

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      /* A full pipe that somebody made non-blocking: later. */
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      await sleep(1);
    }
  }
}
