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
  type DoorbellAnswer,
  openControl,
  type OkAnswer,
  ShimError,
  ShimRefusedError,
  ShimUnreachableError,
} from '@clawdfather/shim';
import { createKeptLink, type KeptLink } from './kept-link.ts';

/* Every command but AUTH and WATCH, without its epoch. */
export type RunCommand = Distribute<Exclude<Command, { type: 'auth' | 'watch' | 'input' }>>;
type Distribute<Each> = Each extends unknown ? Omit<Each, 'epoch'> : never;

export interface ControlLineDeps {
  readonly runDir: string;
  readonly cookie: () => Uint8Array;
  readonly clock: Clock;
  /* The owner's; undefined for an operator. */
  readonly ownEpoch: () => number | undefined;
  /* False: the connection closes after its answer, because a shim takes few of them. */
  readonly isKept?: () => boolean;
  /* A caller that sends input waits for the output that follows, so its connection brings the doorbells too. */
  readonly onBell?: (bell: DoorbellAnswer) => void;
}

export interface ControlLine {
  request(command: RunCommand): Promise<OkAnswer>;
  input(bytes: Uint8Array, offset: number | 'typed'): Promise<OkAnswer>;
  /* A connection for the caller alone; it closes it. */
  open(signal?: AbortSignal): Promise<ControlLink>;
  /* With a reason, what is under way ends with it; without one, when the shim has answered or is gone. */
  close(reason?: Error): void;
}

export function createControlLine(deps: ControlLineDeps): ControlLine {
  const stop = new AbortController();
  const { signal } = stop;
  const openOnce = (limit?: AbortSignal): Promise<ControlLink> =>
    openControl(deps.runDir, deps.cookie(), { clock: deps.clock, signal: limit });
  const open = (limit?: AbortSignal): Promise<ControlLink> =>
    openOnce(limit).catch((error: unknown) => {
      if (!isCutOff(error) && !isTooEarly(error, deps.ownEpoch())) throw error;
      return openOnce(limit);
    });
  const isKept = deps.isKept ?? ((): boolean => true);
  const commands = createKeptLink(() => open(signal), isKept);
  const inputs = createKeptLink(() => openListening(open(signal), deps.onBell), isKept);

  const send = async (
    link: KeptLink,
    ask: (link: ControlLink, epoch: number) => Promise<OkAnswer>,
  ): Promise<OkAnswer> => {
    signal.throwIfAborted();
    const once = (): Promise<OkAnswer> =>
      link.use((opened) => ask(opened, deps.ownEpoch() ?? opened.hello.epoch));
    try {
      return await once();
    } catch (error) {
      if (!isWorthAsking(error, deps.ownEpoch())) throw error;
      link.close();
      return await once();
    }
  };

  return {
    request: (command) => send(commands, (link, epoch) => link.request({ ...command, epoch })),
    input: (bytes, offset) => send(inputs, (link, epoch) => link.input(bytes, { epoch, offset })),
    open,
    close: (reason) => {
      if (reason !== undefined) stop.abort(reason);
      commands.close(reason);
      inputs.close(reason);
    },
  };
}

async function openListening(
  opening: Promise<ControlLink>,
  onBell: ((bell: DoorbellAnswer) => void) | undefined,
): Promise<ControlLink> {
  const link = await opening;
  if (onBell !== undefined) await link.listen(onBell);
  return link;
}

/* Closed before a word was said. A shim that ended just then refuses the next one, which is evidence (O5). */
function isCutOff(error: unknown): boolean {
  return error instanceof ShimUnreachableError && error.reason === 'closed';
}

/* An operator read the cookie before the shim had written it, and connected after: it is written before anybody listens. */
function isTooEarly(error: unknown, ownEpoch: number | undefined): boolean {
  if (ownEpoch !== undefined) return false;
  return error instanceof ShimRefusedError && error.refusal === 'bad-cookie';
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
