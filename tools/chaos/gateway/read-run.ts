/*
 * One reader of one run: from the cursor in the ledger to the end of the output, storing piece by piece.
 *
 * It stops when another gateway's reader has moved the cursor, and says so; whoever wants it read tries again.
 */
import type { Cursor, ManagedRun } from '@clawdfather/supervisor';
import type { Ledger, ReaderKey } from './ledger.ts';

export class OutputMissingError extends Error {}

/* `overtaken`: somebody else reads it too and was faster. */
export async function readRun(
  ledger: Ledger,
  run: ManagedRun,
  key: ReaderKey,
): Promise<'closed' | 'overtaken'> {
  let before = ledger.cursorOf(key);
  for await (const event of run.output(before as Cursor)) {
    if (event.kind === 'gap' || event.kind === 'damaged' || event.kind === 'tail-lost') {
      throw new OutputMissingError(`${key.runId}: ${event.kind} at ${before} for ${key.reader}`);
    }
    if (event.kind !== 'output') continue;
    const { stream, bytes, cursor: after } = event;
    if (!ledger.consume(key, { before, after, stream, bytes })) return 'overtaken';
    before = after;
  }
  ledger.close(key);
  return 'closed';
}
