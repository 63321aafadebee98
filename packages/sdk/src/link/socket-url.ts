/*
 * The address of a socket, next to that of the API.
 */
import type { Connection } from '../call-endpoint.ts';

/* `path` has an `:id`. */
export function socketUrl(
  { baseUrl }: Pick<Connection, 'baseUrl'>,
  path: string,
  id: string,
): string {
  const url = new URL(path.replace(':id', encodeURIComponent(id)), baseUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}
