/*
 * The link to spawnd: starts it, asks it for runs, and hears from them.
 *
 * Per run there is one entry in a map and one callback. The link does not keep
 * the process alive unless `ref` says so. Losing it means nothing to the runs
 * (T7): each hears `lost` once, and can be reached over its own socket.
 */
import type { Clock } from '@clawdfather/kit';
import type { ShimError } from '../errors.ts';
import type { SpawndHelloAnswer } from '../wire/answers.ts';
import { encodeSpawn } from '../wire/encode-spawn.ts';
import type { SpawnRequest } from '../wire/spawn-request.ts';
import { createMessageLink } from './message-link.ts';
import { asRunEvent, isLastEvent, type RunEvent } from './run-event.ts';
import { type ProgramDeps, startProgram } from './start-program.ts';
import { settleWithin } from './settle-within.ts';

export interface SpawndDeps extends ProgramDeps {
  readonly clock: Clock;
  /* Once, when spawnd or the link to it is gone. */
  readonly onLost?: ((error: ShimError) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SpawndLink {
  readonly hello: SpawndHelloAnswer;
  readonly isLost: boolean;
  /* Gives the run's handle on this link. Throws `spawn-invalid`, `link-lost`, `link-congested`. */
  spawn(request: SpawnRequest, onEvent: (event: RunEvent) => void): number;
  /* No more events of this run, please; the run goes on. */
  forget(handle: number): void;
  ref(): void;
  unref(): void;
  /* Spawnd ends by itself after its last run. */
  close(): void;
}

/* From a cold disk on a loaded machine; a warm start takes two milliseconds. */
const helloMsMax = 10_000;
const handleMax = 2 ** 32 - 1;

export async function startSpawnd(deps: SpawndDeps): Promise<SpawndLink> {
  const { promise, resolve, reject } = Promise.withResolvers<SpawndHelloAnswer>();
  const listeners = new Map<number, (event: RunEvent) => void>();
  let nextHandle = 1;

  const tell = (handle: number, event: RunEvent): void => {
    const listener = listeners.get(handle);
    if (listener === undefined) return;
    if (isLastEvent(event)) listeners.delete(handle);
    listener(event);
  };

  const { socket } = startProgram('spawnd', deps);
  const link = createMessageLink(
    socket,
    {
      onAnswer: (id, answer) => {
        if (answer.type === 'spawnd-hello') return resolve(answer);
        const event = asRunEvent(answer);
        if (event !== undefined) tell(id, event);
      },
      onNonsense: (id, error) => tell(id, { type: 'lost', error }),
      onLost: (error) => {
        reject(error);
        deps.onLost?.(error);
        for (const handle of listeners.keys()) tell(handle, { type: 'lost', error });
      },
    },
    { isGathering: true },
  );

  try {
    const hello = await settleWithin(promise, { ...deps, limitMs: helloMsMax });
    link.unref();
    return {
      hello,
      get isLost() {
        return link.isLost;
      },
      spawn: (request, onEvent) => {
        const handle = nextHandle;
        link.send(encodeSpawn(request, handle));
        nextHandle = handle === handleMax ? 1 : handle + 1;
        listeners.set(handle, onEvent);
        return handle;
      },
      forget: (handle) => void listeners.delete(handle),
      ref: link.ref,
      unref: link.unref,
      close: link.close,
    };
  } catch (error) {
    link.close();
    throw error;
  }
}
