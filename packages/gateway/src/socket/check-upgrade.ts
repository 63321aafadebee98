/*
 * What an upgrade passes before it becomes a socket: the path, the name it was sent to, the page it came
 * from, and how many there are already. A refusal is an ordinary HTTP answer.
 *
 * Close code 4003 is reserved for a refused origin and never sent. A code can only be sent over a socket, and a page of another
 * origin is not to have one, so it is a 403 before the upgrade (docs/decisions/0014-plain-ws.md).
 */
import type { IncomingMessage } from 'node:http';
import { socketPaths } from '@clawdfather/protocol/api';
import { ApiError, notFound } from '../http/api-error.ts';
import type { AllowedNames } from '../http/allowed-names.ts';
import { checkNames } from '../http/guards.ts';

export interface SocketTarget {
  readonly kind: 'session' | 'run' | 'acp';
  /* Empty where the path names nothing. */
  readonly id: string;
}

const pathPattern = /^\/ws\/(sessions|runs)\/([0-9a-z][0-9a-z-]{0,30})$/;

/* Throws an `ApiError`. */
export function parseTarget(url: string | undefined): SocketTarget {
  const [path = '', query] = (url ?? '').split('?', 2);
  const match = pathPattern.exec(path);
  if (match === null && path !== socketPaths.acp) throw notFound();
  if (query !== undefined) {
    // Addresses end up in logs and histories: nothing is taken from there, least of all a token.
    throw new ApiError('validation_error', 'a socket takes nothing from its address');
  }
  if (match === null) return { kind: 'acp', id: '' };
  return { kind: match[1] === 'runs' ? 'run' : 'session', id: match[2] ?? '' };
}

export function checkUpgrade(request: IncomingMessage, names: AllowedNames): SocketTarget {
  checkNames(names, { method: request.method ?? '', headers: request.headers });
  return parseTarget(request.url);
}
