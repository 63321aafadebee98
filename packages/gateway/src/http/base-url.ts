/*
 * The address that people are given: the public one, or where we listen.
 */
import type { GatewayConfig } from '../gateway-config.ts';

/* A gateway that listens on all addresses is reached by loopback on this machine. */
const wildcards = ['0.0.0.0', '::'];

export function baseUrlOf(
  { publicUrl, listen, tls }: Pick<GatewayConfig, 'publicUrl' | 'listen' | 'tls'>,
  port: number,
): string {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  const host = wildcards.includes(listen.host) ? 'localhost' : listen.host;
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
}
