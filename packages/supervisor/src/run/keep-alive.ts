/*
 * Whoever waits for a run keeps the process alive; a run by itself does not.
 *
 * The link that brings a run's news may change (spawnd dies, the shim's own socket takes over), so holders hold
 * this and not the link.
 */
export interface Holdable {
  ref(): void;
  unref(): void;
}

export interface KeepAlive {
  hold(): Disposable;
  /* From now on this link brings the news. */
  use(link: Holdable): void;
}

export function createKeepAlive(): KeepAlive {
  let holders = 0;
  let current: Holdable | undefined;

  return {
    hold: () => {
      holders += 1;
      if (holders === 1) current?.ref();
      let isHeld = true;
      return {
        [Symbol.dispose]: () => {
          if (!isHeld) return;
          isHeld = false;
          holders -= 1;
          if (holders === 0) current?.unref();
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
