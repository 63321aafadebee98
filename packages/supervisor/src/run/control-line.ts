/*
 * Commands to one shim, over connections that are opened when first needed and kept.
 *
 * Bulk input has a connection of its own: while it waits for the child, the shim reads nothing more from it.
 * The owner sends its own epoch, so that a supervisor that lost the run is refused (O3); an operator sends the
 * epoch of HELLO (O4) and, when the owner changed meanwhile, asks once more.
 */
import type { Clock } from '@clawdfather/kit';
import {
  type Command,
  type ControlLink,
  openControl,
  type OkAnswer,
  ShimError,
  ShimRefusedError,
} from '@clawdfather/shim';

/* Every command but AUTH and WATCH, without its epoch. */
export type RunCommand = Distribute<Exclude<Command, { type: 'auth' | 'watch' | 'input' }>>;
type Distribute<Each> = Each extends unknown ? Omit<Each, 'epoch'> : never;

export interface ControlLineDeps {
  readonly runDir: string;
  readonly cookie: () => Uint8Array;
  readonly clock: Clock;
  /* The owner's; undefined for an operator. */
  readonly ownEpoch: () => number | undefined;
  /* False: nobody is here to stay, so a connection goes with its answer. A shim takes few of them. */
  readonly isKept?: () => boolean;
}

export interface ControlLine {
  request(command: RunCommand, signal?: AbortSignal): Promise<OkAnswer>;
  input(bytes: Uint8Array, offset: number | 'typed', signal?: AbortSignal): Promise<OkAnswer>;
  /* A connection for the caller alone; it closes it. */
  open(signal?: AbortSignal): Promise<ControlLink>;
  close(): void;
}

export function createControlLine(deps: ControlLineDeps): ControlLine {
  const kept = new Map<'commands' | 'input', Promise<ControlLink>>();

  const open = (signal?: AbortSignal): Promise<ControlLink> =>
    openControl(deps.runDir, deps.cookie(), { clock: deps.clock, signal });

  const keep = async (name: 'commands' | 'input'): Promise<ControlLink> => {
    const opened = kept.get(name);
    if (opened !== undefined) {
      const link = await opened.catch(() => undefined);
      if (link !== undefined && !link.isLost) return link;
    }
    const fresh = open().then((link) => {
      link.unref();
      return link;
    });
    kept.set(name, fresh);
    return fresh;
  };

  const drop = (name: 'commands' | 'input'): void => {
    const link = kept.get(name);
    kept.delete(name);
    void link?.then(
      (opened) => opened.close(),
      () => undefined /* it was never opened */,
    );
  };

  const send = async <Result>(
    name: 'commands' | 'input',
    use: (link: ControlLink, epoch: number) => Promise<Result>,
  ): Promise<Result> => {
    const link = await keep(name);
    try {
      return await whileReferenced(link, () => use(link, deps.ownEpoch() ?? link.hello.epoch));
    } catch (error) {
      if (!isWorthAsking(error, deps.ownEpoch())) throw error;
      drop(name);
      const fresh = await keep(name);
      return await whileReferenced(fresh, () => use(fresh, fresh.hello.epoch));
    } finally {
      if (deps.isKept?.() === false) drop(name);
    }
  };

  return {
    request: (command, signal) =>
      send('commands', (link, epoch) => link.request({ ...command, epoch }, signal)),
    input: (bytes, offset, signal) =>
      send('input', (link, epoch) => link.input(bytes, { epoch, offset, signal })),
    open,
    close: () => {
      drop('commands');
      drop('input');
    },
  };
}

/* An answer that is awaited keeps the process alive; an idle connection does not. */
async function whileReferenced<Result>(
  link: ControlLink,
  work: () => Promise<Result>,
): Promise<Result> {
  link.ref();
  try {
    return await work();
  } finally {
    link.unref();
  }
}

/* An operator whose run changed hands; never an owner, who has lost it. */
function isWorthAsking(error: unknown, ownEpoch: number | undefined): boolean {
  if (ownEpoch !== undefined) return false;
  return error instanceof ShimRefusedError && error.refusal === 'stale-epoch';
}

/* The shim is not there any more, or its connection ended: the run's journal tells the rest. */
export function isShimGoneError(error: unknown): boolean {
  return (
    error instanceof ShimError && (error.code === 'shim-unreachable' || error.code === 'link-lost')
  );
}
