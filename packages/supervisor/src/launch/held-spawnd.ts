/*
 * A spawnd and how many starts want to hear from it: while one does, its link keeps this process alive.
 */
import type { SpawndLink } from '@clawdfather/shim';

export interface HeldSpawnd {
  readonly link: SpawndLink;
  hold(): void;
  letGo(): void;
}

export function createHeldSpawnd(link: SpawndLink): HeldSpawnd {
  let holders = 0;
  return {
    link,
    hold: () => {
      holders += 1;
      link.ref();
    },
    letGo: () => {
      holders -= 1;
      if (holders === 0) link.unref();
    },
  };
}
