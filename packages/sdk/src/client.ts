/*
 * The client: one method per endpoint, named and typed by the same table that the gateway serves.
 *
 *   const client = createClient({ baseUrl: 'http://127.0.0.1:8420', token });
 *   const { items } = await client.runs.list({ query: { limit: 10 } });
 */
import {
  type AnswerOf,
  type Api,
  api,
  type CallOf,
  type Endpoint,
  type EndpointGroup,
} from '@clawdfather/protocol/api';
import {
  type CallOptions,
  type CallParts,
  callEndpoint,
  type Connection,
  type Fetch,
} from './call-endpoint.ts';
import type { CallLimit } from './call-limit.ts';
import { createGatewayWatch, type GatewayWatch } from './gateway-watch.ts';

type Method<E extends Endpoint> =
  Partial<CallOf<E>> extends CallOf<E>
    ? (call?: CallOf<E>, options?: CallOptions) => Promise<AnswerOf<E>>
    : (call: CallOf<E>, options?: CallOptions) => Promise<AnswerOf<E>>;

type Methods<Group extends EndpointGroup> = {
  readonly [Name in keyof Group]: Method<Group[Name]>;
};

export type Client = { readonly [Name in keyof Api]: Methods<Api[Name]> } & {
  readonly connection: Connection;
  /* Who answers, and whether it was restarted. */
  readonly gateway: GatewayWatch;
};

export interface ClientOptions {
  readonly baseUrl: string;
  readonly token?: string;
  /* Default: the global one. */
  readonly fetch?: Fetch;
  /* After it, a call without a sign of its answer fails with `gateway-unreachable`. Default: none. */
  readonly callLimit?: CallLimit;
}

export function createClient({ fetch = sendFetch, ...options }: ClientOptions): Client {
  const gateway = createGatewayWatch();
  const connection = { ...options, fetch, gateway };
  const groups = Object.entries(api).map(([name, group]) => [name, methodsOf(connection, group)]);
  // The mapped type says what the loop does; it cannot be inferred.
  return { ...Object.fromEntries(groups), connection, gateway } as Client;
}

/* Called as a function of its own: a browser's `fetch` refuses to be a method of something else. */
function sendFetch(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init);
}

function methodsOf(connection: Connection, group: EndpointGroup): unknown {
  const methods = Object.entries(group).map(([name, endpoint]) => [
    name,
    (call: CallParts = {}, options: CallOptions = {}) =>
      callEndpoint(connection, endpoint, { ...call, options }),
  ]);
  return Object.fromEntries(methods);
}
