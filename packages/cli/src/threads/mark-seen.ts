/*
 * Who was shown a thread at a terminal has looked at it: it is out of the inbox then, on all devices.
 *
 * What goes into a pipe or a file is not taken for seen, nor what is shown inside of a run, where an agent may be the reader.
 */
import type { Client } from '@clawdfather/sdk';
import type { CommandContext } from '../command.ts';
import { isInsideRun } from '../sign-in/inside-run.ts';

interface Shown {
  readonly threadId: string;
  /* The number of its last event that was shown. */
  readonly seq: number;
}

export async function markSeen(
  { io, config, isJson }: CommandContext,
  client: Client,
  { threadId, seq }: Shown,
): Promise<void> {
  if (isJson || !io.stdout.isTerminal || isInsideRun(config.pid)) return;
  try {
    await client.seen.mark({ params: { id: threadId }, body: { seq } });
  } catch {
    // What was asked for has been shown. A token that may only read cannot say so, and a gateway that was just lost hears it the next time.
  }
}
