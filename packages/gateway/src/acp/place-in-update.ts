/*
 * Where a turn stands when a client is told that it waits. The event that says so knows only its place within its thread, so the place among
 * all that wait in the account, and why it waits, are read from the queue when the update is sent: it says what `tasks.get` says at that
 * moment. Of every other event nothing is read.
 */
import type { EventRow } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { QueueDesk, QueuePlace } from '@clawdfather/threads';
import type { EventSink } from '../agents/follow-thread-events.ts';

export interface PlacesDeps {
  readonly queue: Pick<QueueDesk, 'ofTurn'>;
  readonly accountId: AccountId;
  /* Aborted: nothing is sent any more, also not what was read for. */
  readonly signal: AbortSignal;
}

/* `place`: undefined, if it is not about a turn that waits. As of any sink: a promise is waited for before the next one. */
export type SendWithPlace = (
  event: EventRow,
  place: QueuePlace | undefined,
) => Promise<void> | undefined;

export function sinkWithPlaces(
  { queue, accountId, signal }: PlacesDeps,
  send: SendWithPlace,
): EventSink {
  return (event) => {
    const turnId = waitingTurnOf(event);
    return turnId === undefined
      ? send(event, undefined)
      : queue.ofTurn(accountId, turnId).then(async (place) => {
          signal.throwIfAborted();
          await send(event, place);
        });
  };
}

/* In an event that is read later it may be over: then the queue knows no place. */
function waitingTurnOf({ type, payload, turnId }: EventRow): string | undefined {
  return type === 'status' && payload['event'] === 'queued' ? turnId : undefined;
}
