/*
 * Sockets that have not signed in. Every client can open them, so they have a small number of seats of their own, in all and for
 * each client's network, and never take one of a client that has signed in.
 *
 * Which one gives way: the oldest that is not busy; where its network has too many, the oldest of that network. So a client that
 * sends its token at once gets in, however many silent ones there are. One whose token is being looked up is busy and is not cut
 * off; where all are, the newcomer is refused. A silent one has `authMs` in any case, and one that was refused is no longer busy.
 */
import { ApiError } from '../http/api-error.ts';

export interface WaitingLimits {
  readonly waitingMax: number;
  readonly waitingPerAddressMax: number;
}

export interface WaitingSeat {
  /* How the socket is ended if it has to give way; known once there is one. */
  onGiveWay(giveWay: () => void): void;
  /* Whether what it has sent is being looked at. */
  busy(isBusy: boolean): void;
  /* It has signed in, or is gone. More than once is harmless. */
  leave(): void;
}

export interface WaitingSockets {
  readonly count: number;
  /* Throws an `ApiError` when there are too many and none gives way. */
  enter(network: string): WaitingSeat;
}

interface Waiting {
  readonly network: string;
  isBusy: boolean;
  giveWay: () => void;
}

export function createWaitingSockets(limits: WaitingLimits): WaitingSockets {
  // In the order in which they came.
  const all = new Set<Waiting>();
  const networks = new Map<string, number>();

  const leave = (one: Waiting): void => {
    if (!all.delete(one)) return;
    const count = (networks.get(one.network) ?? 0) - 1;
    if (count === 0) networks.delete(one.network);
    else networks.set(one.network, count);
  };
  /* False: all of them are busy. */
  const makeRoom = (isMeant: (one: Waiting) => boolean): boolean => {
    for (const one of all) {
      if (one.isBusy || !isMeant(one)) continue;
      leave(one);
      one.giveWay();
      return true;
    }
    return false;
  };

  return {
    get count() {
      return all.size;
    },
    enter: (network) => {
      const ofNetwork = networks.get(network) ?? 0;
      if (ofNetwork >= limits.waitingPerAddressMax) {
        if (!makeRoom((one) => one.network === network)) {
          throw new ApiError('rate_limited', 'too many sockets of this address are signing in');
        }
      } else if (all.size >= limits.waitingMax && !makeRoom(() => true)) {
        throw new ApiError('unavailable', 'too many sockets are signing in; try again');
      }
      const one: Waiting = { network, isBusy: false, giveWay: () => {} };
      all.add(one);
      networks.set(network, (networks.get(network) ?? 0) + 1);
      return {
        onGiveWay: (giveWay) => {
          one.giveWay = giveWay;
        },
        busy: (isBusy) => {
          one.isBusy = isBusy;
        },
        leave: () => leave(one),
      };
    },
  };
}
