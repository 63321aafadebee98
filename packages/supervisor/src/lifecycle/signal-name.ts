/*
 * Signal numbers to names, at the edge: the shim speaks numbers, people names.
 *
 * Several names share a number (SIGIOT is SIGABRT, SIGPOLL is SIGIO); the first in
 * Node's list is the common one.
 */
import { constants } from 'node:os';

export function signalNameOf(number: number): string {
  const known = Object.entries(constants.signals).find(([, value]) => value === number);
  // Real-time signals have no name in Node; the number says as much.
  return known?.[0] ?? `SIG${number}`;
}
