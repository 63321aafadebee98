/*
 * The API of the gateway that is meant, with our token; and its refusals in words that say what to do.
 */
import type { Client, OpenSocket } from '@clawdfather/sdk';
import type { CommandContext } from '../command.ts';
import { explainRefusal, notSignedIn } from '../place/gateway/explain-refusal.ts';
import { findTarget, type Target } from './find-gateway.ts';
import { connectionTo } from './open-connection.ts';

type Address = Pick<Target, 'url' | 'certificate' | 'stateDirHere'>;

export interface OpenedGateway {
  readonly client: Client;
  readonly target: Target;
}

export async function openClient(target: Target): Promise<OpenedGateway> {
  if (target.stored === undefined) throw notSignedIn(target);
  return { client: await createClientOf(target, target.stored.token), target };
}

/*
 * Without a token: for signing in the first time. All that is sent to a gateway goes through here or `socketTo`, so that nothing is
 * sent to a program that took its place (open-connection.ts).
 */
export async function createClientOf(target: Address, token?: string): Promise<Client> {
  const { createClient } = await import('@clawdfather/sdk');
  const open = await connectionTo(target);
  return createClient({
    baseUrl: target.url,
    ...(token === undefined ? {} : { token }),
    ...(open === undefined
      ? {}
      : { fetch: (await import('./connection-fetch.ts')).createFetchOver(open) }),
  });
}

/* Undefined: the usual one. */
export async function socketTo(target: Address): Promise<OpenSocket | undefined> {
  const open = await connectionTo(target);
  return open && (await import('./connection-socket.ts')).createSocketOver(open);
}

/* Runs the work; a refusal of the gateway becomes an error with a code of ours, or the API's own. */
export async function withGateway<Result>(
  context: Pick<CommandContext, 'config'>,
  work: (gateway: OpenedGateway) => Promise<Result>,
): Promise<Result> {
  const opened = await openClient(findTarget(context));
  try {
    return await work(opened);
  } catch (error) {
    throw await explainRefusal(opened.target, error);
  }
}
