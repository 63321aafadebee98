/*
 * The places of one master, with those who wait for one: the queue of session-places.ts, driven.
 */
import { deferred, type Deferred } from '@clawdfather/kit';
import {
  createPlaces,
  type MasterCause,
  masterCauses,
  nextPlaces,
  type PlacesEvent,
  type PlacesState,
} from '@clawdfather/ssh';
import { ToolsError } from '@clawdfather/tools';

export interface Places {
  /* Resolves when it is its turn. Rejects with the signal's reason, or `host-unreachable` when too many wait. */
  take(id: string, signal: AbortSignal): Promise<void>;
  /* Of a command that has a session already. */
  occupy(id: string): void;
  leave(id: string): void;
  /* The host had no session for it; its client asks again. */
  refused(id: string): void;
  /* How many have a place, whether the host has given them a session or not. */
  count(): number;
  /* There are none any more; those who wait are told why. */
  close(cause: MasterCause): void;
}

export function createPlaceQueue(limit?: number): Places {
  // A master that is live has its ping.
  let state: PlacesState = nextPlaces(createPlaces(limit), { type: 'ping-opened' }).state;
  const waiting = new Map<string, Deferred<void>>();
  let closed: MasterCause | undefined;
  const send = (event: PlacesEvent): void => {
    const next = nextPlaces(state, event);
    state = next.state;
    for (const effect of next.effects) {
      const waiter = waiting.get(effect.id);
      waiting.delete(effect.id);
      if (effect.do === 'open') waiter?.resolve();
      else waiter?.reject(full());
    }
  };
  return {
    take: async (id, signal) => {
      signal.throwIfAborted();
      if (closed !== undefined) throw gone(closed);
      const waiter = deferred<void>();
      waiting.set(id, waiter);
      const giveUp = (): void => {
        waiting.delete(id);
        send({ type: 'left', id });
        waiter.reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        send({ type: 'asked', id });
        await waiter.promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
    occupy: (id) => {
      send({ type: 'asked', id });
      send({ type: 'opened', id });
    },
    leave: (id) => send({ type: 'left', id }),
    refused: (id) => send({ type: 'refused', id }),
    count: () => state.running.length,
    close: (cause) => {
      closed ??= cause;
      const left = [...waiting];
      waiting.clear();
      for (const [id, waiter] of left) {
        send({ type: 'left', id });
        waiter.reject(gone(closed));
      }
    },
  };
}

function gone(cause: MasterCause): ToolsError {
  const { sentence, hint } = masterCauses[cause];
  return new ToolsError('host-unreachable', sentence, {
    detail: { cause },
    hint: `Nothing was started. ${hint}`,
  });
}

function full(): ToolsError {
  return new ToolsError('host-unreachable', 'too many commands wait for this host', {
    detail: { code: 'host_full' },
    hint: 'Nothing was started. Wait for commands on this host to end (sshd allows MaxSessions at a time).',
  });
}
