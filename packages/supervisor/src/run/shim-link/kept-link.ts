/*
 * One connection to a shim, opened when first needed and kept for the next time.
 *
 * It never closes under an answer that is awaited: the last answer of a shim and the news of its run's end come over
 * different sockets, and the news may be faster. A connection that is not wanted any more goes with its last answer.
 * An answer that is awaited keeps the process alive; an idle connection does not.
 */
import type { ControlLink } from '@clawdfather/shim';

export interface KeptLink {
  use<Result>(work: (link: ControlLink) => Promise<Result>): Promise<Result>;
  /* The next use opens a fresh one. With a reason, what is under way ends with it. */
  close(reason?: Error): void;
}

interface Held {
  readonly link: Promise<ControlLink>;
  /* Set by the first use that waited for it. */
  opened: ControlLink | undefined;
  underWay: number;
  isWanted: boolean;
}

/* `isKept` false: the connection closes after its answer. */
export function createKeptLink(open: () => Promise<ControlLink>, isKept: () => boolean): KeptLink {
  let current: Held | undefined;

  const forget = (held: Held): void => {
    held.isWanted = false;
    if (current === held) current = undefined;
  };
  const closeIfIdle = (held: Held): void => {
    if (held.underWay > 0 || held.isWanted) return;
    held.link.then(
      (link) => link.close(),
      () => undefined /* it was never opened */,
    );
  };
  const take = (): Held => {
    current ??= { link: open(), opened: undefined, underWay: 0, isWanted: true };
    current.underWay += 1;
    return current;
  };
  const give = (held: Held, link: ControlLink | undefined): void => {
    held.underWay -= 1;
    if (held.underWay === 0) link?.unref();
    if (!isKept()) forget(held);
    closeIfIdle(held);
  };

  const use = async <Result>(work: (link: ControlLink) => Promise<Result>): Promise<Result> => {
    for (;;) {
      const held = take();
      /* An open link is used without awaiting it: a key goes to its socket in the turn in which it was typed. */
      let link = held.opened;
      try {
        link ??= await held.link;
        held.opened = link;
        if (!link.isLost) {
          link.ref();
          return await work(link);
        }
        forget(held); /* lost while it was idle: once more, with a fresh one */
      } catch (error) {
        if (link === undefined) forget(held);
        throw error;
      } finally {
        give(held, link);
      }
    }
  };

  return {
    use,
    close: (reason) => {
      const held = current;
      if (held === undefined) return;
      forget(held);
      if (reason === undefined) return closeIfIdle(held);
      held.link.then(
        (link) => link.close(reason),
        () => undefined /* it was never opened */,
      );
    },
  };
}
