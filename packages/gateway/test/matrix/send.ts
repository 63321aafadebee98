/*
 * An endpoint called by its entry in the table, without a client that would keep a bad call from being made.
 */
import { api, type Endpoint } from '@clawdfather/protocol/api';

export interface CallParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

export interface Sent {
  readonly status: number;
  readonly text: string;
}

export interface Target {
  readonly url: string;
  readonly token?: string | undefined;
}

/* `runs.get` and its endpoint, for every endpoint there is. */
export const everyEndpoint: readonly (readonly [string, Endpoint])[] = Object.entries(api).flatMap(
  ([group, endpoints]) =>
    Object.entries(endpoints).map(
      ([name, endpoint]) => [`${group}.${name}`, endpoint as Endpoint] as const,
    ),
);

const [jsonType, bytesType] = ['application/json', 'application/octet-stream'];

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

export async function send(
  { url, token }: Target,
  { method, path }: Endpoint,
  { params = {}, query = {}, body }: CallParts = {},
): Promise<Sent> {
  const filled = path.replaceAll(/:([a-z_]+)/g, (_match, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const target = new URL(filled, url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
  const response = await fetch(target, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': isBytes(body) ? bytesType : jsonType }),
    },
    ...(body === undefined ? {} : { body: isBytes(body) ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}
