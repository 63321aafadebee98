/*
 * A terminal on a run of this machine.
 *
 * The shim keeps the row of attached terminals, and the first of it answers the program's questions. Our place in the row is known
 * when we arrive, and the run's output tells when a terminal before us has left. The size is ours while we are first, and goes with us.
 */
import type { ManagedRun, OutputEvent } from '@clawdfather/supervisor';
import type { TerminalFeed } from '../terminal/terminal-feed.ts';
import type { OpenTerminalOptions } from './place.ts';

export async function openFeedHere(
  run: ManagedRun,
  { isFresh, size, signal }: OpenTerminalOptions,
): Promise<TerminalFeed> {
  // A run that is over already has nobody to announce to; what it said is shown all the same.
  const role = await run.openTerminal().catch(() => undefined);
  let place = role?.place ?? Number.POSITIVE_INFINITY;
  const isAnswerer = (): boolean => place === 1;

  const paint = async () => {
    // The terminal model is heavy; a fresh `run --pty` never needs it.
    const { catchUp } = await import('../terminal/catch-up.ts');
    return catchUp({
      events: run.outputSoFar(undefined, signal),
      until: role?.cursor,
      size: size(),
      isRunResized: isAnswerer(),
    });
  };
  const painted = isFresh ? undefined : await paint();

  async function* follow(): AsyncGenerator<OutputEvent, void, undefined> {
    for await (const event of run.output(painted?.reached, signal)) {
      // Those behind it move up; the shim counts the same way.
      if (event.kind === 'attached' && event.left !== undefined && event.left < place) {
        place -= 1;
        // Only now is the size ours to set. A run that is gone has none.
        if (isAnswerer()) await role?.resize(size()).catch(() => {});
      }
      yield event;
    }
  }
  return {
    picture: painted?.picture,
    isAnswerer,
    events: follow(),
    write: (bytes) => run.write(bytes),
    resize: async (wanted) => await role?.resize(wanted),
    // Nothing is lost if the shim is gone: then no terminal is attached either.
    close: async () => await role?.close().catch(() => {}),
  };
}
