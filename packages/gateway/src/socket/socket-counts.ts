/*
 * How many sockets there are, by address and by account, and whether one more may come. Those that have not signed in are counted
 * apart (waiting-sockets.ts).
 */
import type { AccountPlaces } from '../accounts/account-places.ts';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import type { SocketLimits } from './limits.ts';
import type { SocketTarget } from './check-upgrade.ts';
import { createWaitingSockets, type WaitingSeat } from './waiting-sockets.ts';

export interface SocketCounts {
  /* Signed in. */
  readonly session: number;
  readonly run: number;
  readonly acp: number;
  /* Not yet. */
  readonly waiting: number;
  /* Since the start, by cause. */
  readonly refused: Readonly<Record<string, number>>;
  readonly closed: Readonly<Record<string, number>>;
}

export interface SocketSeat extends Pick<WaitingSeat, 'onGiveWay' | 'busy'> {
  /* From here on it is a socket of this account. Throws an `ApiError` when there are too many. */
  signIn(caller: Pick<Caller, 'accountId' | 'kind'>): void;
  /* The client has stopped, or was told to: it is no longer one of its account's. More than once is harmless, as below. */
  leaveAccount(): void;
  /* Its connection is gone. */
  leave(): void;
}

export interface SocketTally {
  /* A seat for a socket that has not signed in. Throws an `ApiError` when there are too many. */
  enter(target: SocketTarget, network: string): SocketSeat;
  countRefusal(code: string): void;
  countClose(code: number): void;
  counts(): SocketCounts;
}

export function createSocketTally(limits: SocketLimits, places: AccountPlaces): SocketTally {
  const kinds = { session: 0, run: 0, acp: 0 };
  const networks = new Map<string, number>();
  const refused = new Map<string, number>();
  const closed = new Map<string, number>();
  const waiting = createWaitingSockets(limits);

  const checkRoom = (network: string): void => {
    if (kinds.session + kinds.run + kinds.acp >= limits.socketsMax) {
      throw new ApiError('unavailable', 'this gateway has as many sockets as it takes');
    }
    if ((networks.get(network) ?? 0) >= limits.perAddressMax) {
      throw new ApiError('rate_limited', 'too many sockets from this address');
    }
  };

  const enter = ({ kind }: SocketTarget, network: string): SocketSeat => {
    // Checked here too, so that a socket that could not sign in is refused at once.
    checkRoom(network);
    const seat = waiting.enter(network);
    let leaveAccount = (): void => {};
    let leaveSignedIn = (): void => {};
    return {
      onGiveWay: (giveWay) => seat.onGiveWay(giveWay),
      busy: (isBusy) => seat.busy(isBusy),
      signIn: (caller) => {
        checkRoom(network);
        leaveAccount = places.take(caller);
        seat.leave();
        kinds[kind] += 1;
        change(networks, network, 1);
        leaveSignedIn = once(() => {
          kinds[kind] -= 1;
          change(networks, network, -1);
        });
      },
      leaveAccount: () => leaveAccount(),
      leave: () => {
        seat.leave();
        leaveAccount();
        leaveSignedIn();
      },
    };
  };

  return {
    enter,
    countRefusal: (code) => change(refused, code, 1),
    countClose: (code) => change(closed, String(code), 1),
    counts: () => ({
      ...kinds,
      waiting: waiting.count,
      refused: Object.fromEntries(refused),
      closed: Object.fromEntries(closed),
    }),
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
