/*
 * Listening, and where that turned out to be.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { errnoOf } from '@clawdfather/kit';
import { GatewayError } from '../errors.ts';
import type { GatewayConfig } from '../gateway-config.ts';

/* Resolves with the address, such as `http://127.0.0.1:8420`. */
export async function listenOn(server: FastifyInstance, config: GatewayConfig): Promise<string> {
  const { listen: where, tls } = config;
  try {
    await server.listen({ host: where.host, port: where.port });
  } catch (error) {
    const code = errnoOf(error);
    const isTaken = code === 'EADDRINUSE';
    throw new GatewayError(
      'listen-failed',
      `cannot listen on ${where.host}:${where.port}${isTaken ? ': something else does already' : ''}`,
      {
        cause: error,
        detail: { ...where, code },
        ...(isTaken ? { hint: takenHint(where) } : {}),
      },
    );
  }
  const name = where.host.includes(':') ? `[${where.host}]` : where.host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${portOf(server)}`;
}

/* It is not the gateway of this state directory: that one was looked for before. */
function takenHint({ host, port }: GatewayConfig['listen']): string {
  const other = `${host}:${port < 65_535 ? port + 1 : port - 1}`;
  return (
    'It is another program, or a gateway with another state directory (clf status --state-dir DIR). ' +
    `Stop it, or listen elsewhere: clf serve --listen ${other}`
  );
}

/* 0 before it listens. */
export function portOf(server: FastifyInstance): number {
  // Listening on TCP, the address is never a path.
  return (server.server.address() as AddressInfo | null)?.port ?? 0;
}
