/*
 * The threads that this process looks after, and which of their turns may run.
 */
import {
  admitTurn,
  expireTurn,
  type ReadyTurn,
  type ThreadName,
  type ThreadRows,
} from '@clawdfather/agents';
import { type AccountId, hasCode } from '@clawdfather/kit';
import type { ThreadsDeps } from './create-threads.ts';
import { type Admission, createAdmission } from './queue/admission.ts';
import { activeMax } from './queue/queue-limits.ts';
import { ThreadActor } from './thread-actor.ts';

export interface Actors {
  readonly admission: Admission;
  /* Made when it is asked for first. */
  of(name: ThreadName): ThreadActor;
  /* The rows of one that was made, as this process last saw them. */
  known(name: ThreadName): ThreadRows | undefined;
  /* The sessions of agents that answer here just now. Those that answer elsewhere are told of there. */
  withTurns(): readonly ThreadName[];
  close(): Promise<void>;
}

/* Of threads in which nothing happens, so many are kept in memory; what they know is read again when it is needed. */
const idleMax = 256;

const keyOf = ({ accountId, id }: ThreadName): string => `${accountId}/${id}`;

export function createActors(deps: ThreadsDeps): Actors {
  const { recordsOf, clock, limits } = deps;
  const { instanceId } = deps.supervisor;
  const actors = new Map<string, { readonly accountId: AccountId; readonly actor: ThreadActor }>();
  const of = (name: ThreadName): ThreadActor => {
    const { accountId, id } = name;
    const key = keyOf(name);
    const known = actors.get(key);
    if (known !== undefined) return known.actor;
    if (actors.size >= idleMax) forgetIdle();
    const records = recordsOf(accountId);
    const onFree = (): void => admission.look();
    const actor = new ThreadActor({ ...deps, accountId, threadId: id, records, onFree });
    actors.set(key, { accountId, actor });
    return actor;
  };
  const forgetIdle = (): void => {
    for (const [key, { actor }] of actors) {
      if (!actor.isIdle) continue;
      actors.delete(key);
      // It holds nothing, so there is nothing to wait for.
      void actor.close();
    }
  };
  const admit = async (turn: ReadyTurn): Promise<void> => {
    const actor = of({ accountId: turn.accountId, id: turn.threadId });
    // As they are stored: an agent that has ended at another gateway since is no reason to leave the turn to it.
    const { run } = await actor.rows.refresh();
    // Its agent is another gateway's, which admits for it.
    if (run !== undefined && run.instanceId !== instanceId) return;
    const claim = { kind: 'admit', instanceId, below: activeMax(limits, turn.agent) } as const;
    try {
      await actor.rows.change((now) => {
        const change = admitTurn(now, clock.wallMs(), claim);
        return change && { change };
      });
    } catch (error) {
      // Another gateway has taken the room since we looked.
      if (!hasCode(error, 'lane-full')) throw error;
      return;
    }
    actor.kick();
  };
  const expire = async ({ accountId, threadId, turnId }: ReadyTurn, message: string) => {
    await of({ accountId, id: threadId }).rows.change((now) => {
      const change = expireTurn(now, { turnId, message }, clock.wallMs());
      return change && { change };
    });
  };
  const admission = createAdmission({ ...deps, instanceId, admit, expire });
  return {
    admission,
    of,
    known: (name) => actors.get(keyOf(name))?.actor.rows.known,
    withTurns: () =>
      [...actors.values()].flatMap(({ accountId, actor }) => {
        const { sessionId } = actor.rows.known?.thread ?? {};
        if (!actor.hasTurn || sessionId === undefined) return [];
        return [{ accountId, id: sessionId }];
      }),
    close: async () => {
      await Promise.all([...actors.values()].map(({ actor }) => actor.close()));
    },
  };
}
