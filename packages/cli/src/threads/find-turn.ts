/*
 * From what a person typed to a turn: its id, or a thread, of which the newest turn is meant.
 */
import { type Client, RefusedError } from '@clawdfather/sdk';
import { CliError } from '../errors.ts';
import { findThread } from './find-thread.ts';
import type { Turn } from './thread-types.ts';

/* `isMeant`: the newest such turn of a thread comes before others. */
export async function findTurn(
  client: Client,
  typed: string,
  isMeant: (turn: Turn) => boolean = hasEnded,
): Promise<string> {
  if (/^[0-9a-z]{16}$/.test(typed)) {
    const turn = await turnOf(client, typed);
    if (turn !== undefined) return turn;
  }
  const { id } = await findThread(client, typed);
  const { turns } = await client.threads.get({ params: { id } });
  const newest = turns.findLast(isMeant) ?? turns.at(-1);
  if (newest !== undefined) return newest.id;
  throw new CliError('artifact-not-found', 'nothing was said in this thread yet', {
    hint: `Say something: clf say ${id} "…"`,
  });
}

function hasEnded({ ended_at: endedAt }: Turn): boolean {
  return endedAt !== null;
}

async function turnOf(client: Client, id: string): Promise<string | undefined> {
  try {
    return (await client.turns.get({ params: { id } })).turn.id;
  } catch (error) {
    // Then it may be a thread.
    if (error instanceof RefusedError && error.refusal.code === 'not_found') return undefined;
    throw error;
  }
}
