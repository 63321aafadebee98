/*
 * Nothing is open to the network unprotected: beyond loopback a gateway needs TLS of its own, or a trusted proxy that has it.
 */
import ipaddr from 'ipaddr.js';
import { GatewayError } from './errors.ts';
import type { GatewayConfig } from './gateway-config.ts';

export function checkListen({ listen, tls, trustedProxies }: GatewayConfig): void {
  if (isLoopback(listen.host) || tls !== undefined || trustedProxies.length > 0) return;
  throw new GatewayError(
    'listen-unprotected',
    `${listen.host} can be reached from the network, and tokens would cross it in clear`,
    {
      detail: { host: listen.host },
      hint: 'give a certificate and key (--tls-cert, --tls-key), or name the proxy that brings TLS (--trusted-proxy); or listen on 127.0.0.1',
    },
  );
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
