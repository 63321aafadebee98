/*
 * The gateway, for commands about SSH hosts, keys and sessions. They are all its own: without one there is nothing to ask, and the
 * error says how to get one.
 */
import { CodedError } from '@clawdfather/kit';
import type { CommandContext } from '../command.ts';
import { explainRefusal } from '../place/gateway/explain-refusal.ts';
import type { Target } from '../sign-in/find-gateway.ts';
import { findHostsTarget } from './find-hosts-target.ts';
import { type OpenedGateway, openClient } from '../sign-in/open-client.ts';

export async function withHosts<Result>(
  context: Pick<CommandContext, 'config'>,
  work: (gateway: OpenedGateway) => Promise<Result>,
): Promise<Result> {
  const opened = await openClient(findHostsTarget(context));
  try {
    return await work(opened);
  } catch (error) {
    throw await explain(opened.target, error);
  }
}

async function explain(target: Target, error: unknown): Promise<unknown> {
  const { RefusedError } = await import('@clawdfather/sdk');
  // For runs this code says that the run is missing. Here the thing was there a moment ago.
  if (error instanceof RefusedError && error.refusal.code === 'not_found') {
    return new CodedError('not_found', 'it is gone, or was changed meanwhile', {
      hint: 'Look again: clf host ls, clf key ls, clf session ls',
    });
  }
  return explainRefusal(target, error);
}
