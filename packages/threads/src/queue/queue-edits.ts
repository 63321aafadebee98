/*
 * What people change in the queue while a turn waits: its place, and what it asks for. Cancelling is the controller's, as for one that runs.
 */
import {
  editTurn,
  moveTurn,
  type QueueSpot,
  spotAfter,
  spotBefore,
  type ThreadAudit,
  type ThreadChange,
  type ThreadRows,
  type TurnEdit,
} from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { Actors } from '../actors.ts';
import type { Asker, ThreadsDeps } from '../create-threads.ts';
import { ThreadsError } from '../errors.ts';

export interface QueueEdits {
  /*
   * Directly before another turn of the account, whose priority it takes; null: to the end. Throws `turn-not-found`, `turn-not-waiting`,
   * `queue-crowded`.
   */
  move(accountId: AccountId, move: TurnMove): Promise<void>;
  /* Throws `turn-not-found`, `turn-not-waiting`. */
  edit(accountId: AccountId, edit: TurnEdit & { readonly by: Asker }): Promise<void>;
}

export interface TurnMove {
  readonly turnId: string;
  readonly before: string | null;
  readonly by: Asker;
}

type Deps = Pick<ThreadsDeps, 'recordsOf' | 'queue' | 'clock'>;

export function createQueueEdits(deps: Deps, actors: Actors): QueueEdits {
  return {
    move: async (accountId, { turnId, before, by }) => {
      if ((await deps.queue.placeOf(accountId, turnId)) === undefined) {
        throw await whyNotWaiting(deps, accountId, turnId);
      }
      if (before === turnId) return;
      const spot = await spotFor(deps, accountId, { turnId, before });
      if (spot === undefined) return;
      const audit = { action: 'turn.move', detail: { before: before ?? 'end' } } as const;
      await changeWaiting(deps, actors, {
        accountId,
        turnId,
        audit: { ...by, ...audit },
        decide: (rows, atMs) => moveTurn(rows, { turnId, spot }, atMs),
      });
    },
    edit: (accountId, { by, ...edit }) =>
      changeWaiting(deps, actors, {
        accountId,
        turnId: edit.turnId,
        audit: { ...by, action: 'turn.edit' },
        decide: (rows, atMs) => editTurn(rows, edit, atMs),
      }),
  };
}

/* Undefined: nothing else waits, so it stands there already. */
async function spotFor(
  deps: Deps,
  accountId: AccountId,
  { turnId, before }: Pick<TurnMove, 'turnId' | 'before'>,
): Promise<QueueSpot | undefined> {
  const { queue } = deps;
  if (before === null) {
    const { last } = await queue.neighbours(accountId, { exceptId: turnId });
    return last && spotAfter(last);
  }
  const target = await queue.placeOf(accountId, before);
  if (target === undefined) throw await whyNotWaiting(deps, accountId, before);
  const around = await queue.neighbours(accountId, { spot: target, exceptId: turnId });
  const spot = spotBefore(target, around.before);
  if (spot !== undefined) return spot;
  throw new ThreadsError('queue-crowded', 'no room is left between the two turns', {
    hint: 'Move the one that it is to stand before first, such as to the end.',
  });
}

interface WaitingChange {
  readonly accountId: AccountId;
  readonly turnId: string;
  readonly audit: ThreadAudit;
  readonly decide: (rows: ThreadRows, atMs: number) => ThreadChange | undefined;
}

async function changeWaiting(
  { recordsOf, clock }: Deps,
  actors: Actors,
  { accountId, turnId, audit, decide }: WaitingChange,
): Promise<void> {
  const turn = await recordsOf(accountId).turn(turnId);
  if (turn === undefined) throw notFound(turnId);
  const { threadId: thread } = turn;
  const told = { ...audit, target: turnId, detail: { thread, ...audit.detail } };
  await actors.of({ accountId, id: thread }).rows.change((now) => {
    const change = decide(now, clock.wallMs());
    if (change === undefined) throw notWaiting(turnId);
    return { change, audits: [told] };
  });
  actors.admission.look();
}

async function whyNotWaiting(
  { recordsOf }: Deps,
  accountId: AccountId,
  turnId: string,
): Promise<ThreadsError> {
  const turn = await recordsOf(accountId).turn(turnId);
  return turn === undefined ? notFound(turnId) : notWaiting(turnId);
}

function notFound(turnId: string): ThreadsError {
  return new ThreadsError('turn-not-found', `there is no turn ${turnId}`);
}

function notWaiting(turnId: string): ThreadsError {
  const message = `turn ${turnId} does not wait any more`;
  return new ThreadsError('turn-not-waiting', message, { detail: { turnId } });
}
