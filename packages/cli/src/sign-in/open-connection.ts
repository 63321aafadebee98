/*
 * How a connection to a gateway is opened, where that takes more than `fetch` does: nothing is sent before the other end is known.
 *
 *   a gateway of this machine with TLS   its very certificate is asked for (pinned-connection.ts)
 *   any other address of this machine    the process that listens there is looked at (looked-at-connection.ts)
 *   an address elsewhere                 undefined: the usual ways
 */
import type { Socket } from 'node:net';
import type { Target } from './find-gateway.ts';

export type Place = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/* Rejects, and has sent nothing, if the other end is not as it should be. */
export type OpenConnection = (place: Place, signal: AbortSignal | undefined) => Promise<Socket>;

export async function connectionTo({
  url,
  certificate,
  stateDirHere,
}: Pick<Target, 'url' | 'certificate' | 'stateDirHere'>): Promise<OpenConnection | undefined> {
  if (certificate !== undefined) {
    const { createPinnedConnection } = await import('./pinned-connection.ts');
    return createPinnedConnection(certificate);
  }
  const { isOnThisMachine } = await import('./on-this-machine.ts');
  if (!(await isOnThisMachine(new URL(url)))) return undefined;
  const { createLookedAtConnection } = await import('./looked-at-connection.ts');
  return createLookedAtConnection(stateDirHere);
}
