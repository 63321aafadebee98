/*
 * From what a person typed to a turn: its id, or a thread, of which the newest turn is meant.
 */
import { type Client, RefusedError } from '@clawdfather/sdk';
import { CliError } from '../errors.ts';
import { findThread } from './find-thread.ts';

export async function findTurn(client: Client, typed: string): Promise<string> {
  if (/^[0-9a-z]{16}$/.test(typed)) {
    const turn = await turnOf(client, typed);
    if (turn !== undefined) return turn;
  }
  const { id } = await findThread(client, typed);
  const { turns } = await client.threads.get({ params: { id } });
  const newest = turns.findLast(({ ended_at: endedAt }) => endedAt !== null) ?? turns.at(-1);
  if (newest !== undefined) return newest.id;
  throw new CliError('artifact-not-found', 'nothing was said in this thread yet', {
    hint: `Say something: clf say ${id} "…"`,
  });
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
