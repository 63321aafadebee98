/*
 * A connection to an address of this machine. It is opened first, and then the process at its other end is looked at: a look before
 * could be about another one than the one that is sent to. Nothing is sent to a command in a shield.
 */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CliError } from '../errors.ts';
import { shortId } from '../runs/find-run.ts';
import type { OpenConnection, Place } from './open-connection.ts';
import { createPeerLook, type LookAtPeer, type Peer } from './peer/look-at-peer.ts';

export function createLookedAtConnection(
  stateDir: string,
  look: LookAtPeer = createPeerLook(stateDir),
): OpenConnection {
  return async (place, signal) => {
    const { protocol, hostname, port } = place;
    const host = hostname.replace(/^\[|\]$/g, '');
    const isTls = protocol === 'https:';
    const options = { host, port: Number(port || (isTls ? 443 : 80)) };
    const socket = connect(signal === undefined ? options : { ...options, signal });
    try {
      await once(socket, 'connect');
      // While we look it may break; whoever uses it then hears so.
      socket.on('error', () => {});
      refuse(await look(endsOf(socket)), place);
      return isTls ? await withTls(socket, host) : socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket) {
  if (remoteAddress === undefined || remotePort === undefined) throw wasClosed();
  if (localAddress === undefined || localPort === undefined) throw wasClosed();
  return { remoteAddress, remotePort, localAddress, localPort };
}

function wasClosed(): Error {
  return new Error('the connection was closed at once');
}

/* Its certificate has to be good, as everywhere. */
async function withTls(socket: Socket, host: string): Promise<Socket> {
  const secured = connectTls({ socket, host, ...(isIP(host) > 0 ? {} : { servername: host }) });
  await once(secured, 'secureConnect');
  return secured;
}

function refuse(peer: Peer, { hostname, port }: Place): void {
  if (peer.kind === 'fine') return;
  const where = port === '' ? hostname : `${hostname}:${port}`;
  if (peer.kind === 'unknown') {
    throw new CliError('gateway-port-taken', `it cannot be seen who listens at ${where}`, {
      hint: 'Shielded commands run on this machine, and one of them could. Nothing was sent. Start your gateway (clf serve), end those commands (clf ps), or give it a name with https://. A tunnel of ssh -R looks like this, too: open it from this machine (ssh -L).',
      detail: { address: where },
    });
  }
  const { pid, runId } = peer;
  const run = runId === undefined ? undefined : shortId({ runId });
  const who = run === undefined ? `process ${pid}` : `run ${run}, process ${pid}`;
  const end = run === undefined ? `kill ${pid}` : `clf kill ${run} -g local`;
  throw new CliError(
    'gateway-port-taken',
    `at ${where} listens no gateway but a shielded command: ${who}`,
    {
      hint: `It would get your sign-in, and could decide for you. Nothing was sent. End it (${end}), then start your gateway: clf serve`,
      detail: { address: where, pid, ...(runId === undefined ? {} : { runId }) },
    },
  );
}
