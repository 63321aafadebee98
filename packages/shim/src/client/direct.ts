/*
 * Starts one shim directly, without spawnd: for the CLI, so that its own
 * limits, groups and namespaces hold for the command (S3).
 *
 * The link keeps the process alive until `unref` or `close`; either way, and
 * when this process dies, the run goes on.
 */
import { encodeSpawn } from '../wire/encode-spawn.ts';
import type { SpawnRequest } from '../wire/spawn-request.ts';
import { createMessageLink } from './message-link.ts';
import { asRunEvent, isLastEvent, type RunEvent } from './run-event.ts';
import { type ProgramDeps, startProgram } from './start-program.ts';

export interface DirectDeps extends ProgramDeps {
  readonly onEvent: (event: RunEvent) => void;
}

export interface DirectLink {
  readonly shimPid: number | undefined;
  readonly isLost: boolean;
  ref(): void;
  unref(): void;
  /* No event follows; the run goes on. */
  close(): void;
}

/* The only run on its link. */
const handle = 1;

/* Throws `spawn-invalid` and `shim-missing`. */
export function startShimDirect(request: SpawnRequest, deps: DirectDeps): DirectLink {
  const spawnFrame = encodeSpawn(request, handle);
  const { child, socket } = startProgram('direct', deps);
  let isOver = false;

  const tell = (event: RunEvent): void => {
    if (isOver) return;
    isOver = isLastEvent(event);
    deps.onEvent(event);
  };
  const link = createMessageLink(socket, {
    onAnswer: (_id, answer) => {
      const event = asRunEvent(answer);
      if (event !== undefined) tell(event);
    },
    onNonsense: (_id, error) => tell({ type: 'lost', error }),
    onLost: (error) => tell({ type: 'lost', error }),
  });
  link.send(spawnFrame);
  return {
    shimPid: child.pid,
    get isLost() {
      return link.isLost;
    },
    ref: link.ref,
    unref: link.unref,
    close: link.close,
  };
}
