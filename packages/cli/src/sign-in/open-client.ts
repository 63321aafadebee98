/*
 * The API of the gateway that is meant, with our token; and its refusals in words that say what to do.
 */
import type { Client } from '@clawdfather/sdk';
import type { CommandContext } from '../command.ts';
import { explainRefusal, notSignedIn } from '../place/gateway/explain-refusal.ts';
import { findTarget, type Target } from './find-gateway.ts';

export interface OpenedGateway {
  readonly client: Client;
  readonly target: Target;
}

export async function openClient(target: Target): Promise<OpenedGateway> {
  if (target.stored === undefined) throw notSignedIn(target);
  return { client: await createClientOf(target, target.stored.token), target };
}

/* Without a token: for signing in the first time. */
export async function createClientOf(
  { url, certificate }: Pick<Target, 'url' | 'certificate'>,
  token?: string,
): Promise<Client> {
  const { createClient } = await import('@clawdfather/sdk');
  const pinned =
    certificate === undefined
      ? {}
      : { fetch: (await import('./pinned-fetch.ts')).createPinnedFetch(certificate) };
  return createClient({ baseUrl: url, ...(token === undefined ? {} : { token }), ...pinned });
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
