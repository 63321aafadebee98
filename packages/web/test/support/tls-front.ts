/*
 * TLS in front of a plain address, as Caddy or `tailscale serve` bring it, with a certificate of its own making.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';

export interface TlsFront extends AsyncDisposable {
  readonly url: string;
}

export async function openTlsFront(plainUrl: string, home: string): Promise<TlsFront> {
  const { cert, key } = await makeCertificate(home);
  const { port } = new URL(plainUrl);
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key }, (client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // The other side is told by the close that follows.
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  // A browser that does not like the certificate hangs up.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function makeCertificate(home: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
  const named = '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
  const words = `${made} ${named}`.split(' ');
  await promisify(execFile)('openssl', [...words, '-out', cert, '-keyout', key]);
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
