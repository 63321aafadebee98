/*
 * Whose connection it is, behind trusted proxies too. Asked of the very library that Fastify asks for `request.ip`, so a client has
 * the same address on a socket and on a request, and one limit counts both.
 */
import type { IncomingMessage } from 'node:http';
import proxyAddresses from '@fastify/proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string;

export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted =
    trustedProxies.length === 0 ? () => false : proxyAddresses.compile([...trustedProxies]);
  return (request) => proxyAddresses.all(request, isTrusted).at(-1) ?? '';
}
