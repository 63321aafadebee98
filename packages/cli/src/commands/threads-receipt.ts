/*
 * `clf threads receipt`: what happened since an event, with the proof that all of it was received.
 */
import type { Execute } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, exitChecksFailed, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findThread } from '../threads/find-thread.ts';
import { readReceipt } from '../threads/read-receipt.ts';
import { receiptJson } from '../threads/receipt-json.ts';
import { formatReceipt } from '../threads/receipt-text.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { threadsReceiptSpec } from './reading-specs.ts';

export const execute: Execute<typeof threadsReceiptSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint, flags } = context;
    const thread = await findThread(client, context.operands.thread);
    const { id: threadId, title, last_seq: newest, seen_seq: seen } = thread;
    const { since = seen } = flags;
    if (since > newest) {
      throw usageError(
        `--since: there is no event ${since} yet`,
        `The newest event of this thread is ${newest}.`,
      );
    }
    const isSinceSeen = flags.since === undefined;
    const whole = await readReceipt(client, { threadId, since });
    await io.stdout.write(
      context.isJson
        ? jsonLine(receiptJson(whole, isSinceSeen))
        : formatReceipt(whole, { title, isSinceSeen, paint }),
    );
    return codeStatus(whole.isProven ? exitOk : exitChecksFailed);
  });
