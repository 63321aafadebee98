/*
 * A reader of the drill's turn at a gateway: gathers the text, event by event, from the number that it has seen last.
 */
import { type Client, followThread, type FollowOptions } from '@clawdfather/sdk';
import { factOf } from '../threads/thread-fact.ts';

export interface SeenTurn {
  text: string;
  /* The number of the last event. */
  lastSeq: number;
  /* Events whose number did not follow the one before. */
  holes: number;
  /* As the event of its end says it; undefined while it runs. */
  status: string | undefined;
}

export const nothingSeen = (): SeenTurn => ({ text: '', lastSeq: 0, holes: 0, status: undefined });

export interface WatchParts extends Pick<FollowOptions, 'clock' | 'random'> {
  readonly client: Client;
  readonly threadId: string;
  readonly signal: AbortSignal;
}

/* Until the turn has ended, or what was seen is enough. `seen` is carried from one gateway to the next. */
export async function watchTurn(
  { client, threadId, clock, random, signal }: WatchParts,
  seen: SeenTurn,
  isEnough: (seen: SeenTurn) => boolean,
): Promise<void> {
  const from = { client, threadId, after: seen.lastSeq };
  for await (const event of followThread(from, { clock, random, signal })) {
    if (event.seq !== seen.lastSeq + 1) seen.holes += 1;
    seen.lastSeq = event.seq;
    const fact = factOf(event);
    if (fact?.kind === 'text' && fact.role === 'agent') seen.text += fact.text;
    if (fact?.kind === 'turn-end') seen.status = fact.end.status;
    if (seen.status !== undefined || isEnough(seen)) return;
  }
}
