/*
 * Finds dead sockets: when a browser's network drops, its WebSocket is silent and not closed. One timer looks at all
 * sockets, pings those that are due, and cuts off those that were silent too long or take nothing.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import { stalledMs } from '../live/limits.ts';
import { lookMs, pingMs, silentMs } from './limits.ts';

export interface Beating {
  /* When anything last came from it. */
  readonly heardAtMs: number;
  /* We do not read it at the moment, so its silence means nothing. */
  readonly isPaused: boolean;
  /* Since when it takes nothing of what it is sent. */
  readonly fullSinceMs: number | undefined;
  pingedAtMs: number;
  ping(): void;
  tooSlow(): void;
  silent(): void;
}

export interface Beats {
  add(socket: Beating): void;
  remove(socket: Beating): void;
  close(): void;
}

export function createBeats(clock: Clock): Beats {
  const sockets = new Set<Beating>();
  let timer: Timer | undefined;

  const look = (): void => {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    for (const socket of sockets) lookAt(socket, nowMs);
    arm();
  };
  const arm = (): void => {
    if (timer !== undefined || sockets.size === 0) return;
    timer = clock.timer(lookMs, look);
    timer.unref();
  };

  return {
    add: (socket) => {
      sockets.add(socket);
      arm();
    },
    remove: (socket) => void sockets.delete(socket),
    close: () => {
      timer?.cancel();
      sockets.clear();
    },
  };
}

function lookAt(socket: Beating, nowMs: number): void {
  const { fullSinceMs, heardAtMs, isPaused } = socket;
  if (fullSinceMs !== undefined && nowMs - fullSinceMs >= stalledMs) socket.tooSlow();
  else if (!isPaused && nowMs - heardAtMs >= silentMs) socket.silent();
  else if (nowMs - socket.pingedAtMs >= pingMs) {
    socket.pingedAtMs = nowMs;
    socket.ping();
  }
}
