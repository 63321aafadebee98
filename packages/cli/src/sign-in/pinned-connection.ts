/*
 * A connection to the gateway of this machine when it has TLS. Its certificate is for the name that people use, not for the address
 * here, and may be of its own making; so the very certificate is asked for that gateway.json names, a file that only its owner
 * can write. Nothing is sent before it was seen.
 */
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { OpenConnection } from './open-connection.ts';

export function createPinnedConnection(fingerprint: string): OpenConnection {
  return async ({ hostname, port }) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    // Checked below, by what it is instead of by what it says.
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false });
    try {
      await once(socket, 'secureConnect');
    } catch (error) {
      socket.destroy();
      throw error;
    }
    if (socket.getPeerCertificate().fingerprint256 === fingerprint) return socket;
    socket.destroy();
    throw new Error(
      'its certificate is not the one that the gateway of this machine was started with',
    );
  };
}
