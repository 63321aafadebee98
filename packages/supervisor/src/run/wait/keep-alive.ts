/*
 * Waiting for a run keeps the process alive; a run by itself does not.
 *
 * The link that brings a run's news may change (spawnd dies, the shim's own socket takes over), so a waiting call
 * holds this and not the link. A run of another owner is followed only while it is held.
 */
export interface Holdable {
  ref(): void;
  unref(): void;
}

export interface KeepAlive {
  readonly isHeld: boolean;
  hold(): Disposable;
  /* From now on this link brings the news. */
  use(link: Holdable): void;
}

export interface Holding {
  readonly onFirst?: () => void;
  readonly onLast?: () => void;
}

export function createKeepAlive({ onFirst, onLast }: Holding = {}): KeepAlive {
  let holders = 0;
  let current: Holdable | undefined;

  const take = (): void => {
    holders += 1;
    if (holders > 1) return;
    current?.ref();
    onFirst?.();
  };
  const give = (): void => {
    holders -= 1;
    if (holders > 0) return;
    current?.unref();
    onLast?.();
  };

  return {
    get isHeld() {
      return holders > 0;
    },
    hold: () => {
      take();
      let isHeld = true;
      return {
        [Symbol.dispose]: () => {
          if (isHeld) give();
          isHeld = false;
        },
      };
    },
    use: (link) => {
      current?.unref();
      current = link;
      if (holders > 0) link.ref();
      else link.unref();
    },
  };
}
