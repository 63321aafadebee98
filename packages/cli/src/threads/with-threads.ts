/*
 * The gateway, for commands about agents and the conversations with them. A gateway has both: without one there is nothing to ask, and the
 * error says how to get one.
 */
import { CodedError } from '@clawdfather/kit';
import type { CommandContext } from '../command.ts';
import { findHostsTarget } from '../hosts/find-hosts-target.ts';
import { explainRefusal } from '../place/gateway/explain-refusal.ts';
import { type OpenedGateway, openClient } from '../sign-in/open-client.ts';

export async function withThreads<Result>(
  context: Pick<CommandContext, 'config'>,
  work: (gateway: OpenedGateway) => Promise<Result>,
): Promise<Result> {
  const opened = await openClient(findHostsTarget(context, 'agents need'));
  try {
    return await work(opened);
  } catch (error) {
    throw (await explainHere(error)) ?? (await explainRefusal(opened.target, error));
  }
}

/* Codes that have other words where they are about runs. */
async function explainHere(error: unknown): Promise<CodedError | undefined> {
  const { RefusedError } = await import('@clawdfather/sdk');
  if (!(error instanceof RefusedError)) return undefined;
  const { refusal, message, detail } = error;
  switch (refusal.code) {
    case 'not_found':
      return new CodedError('not_found', 'it is gone, or was changed meanwhile', {
        hint: 'Look again: clf threads ls',
        detail,
      });
    case 'still_running':
      return new CodedError('still_running', message, {
        hint: 'Wait for it: clf threads follow THREAD. Or stop it: clf threads cancel THREAD.',
        detail,
      });
    case 'thread_archived':
      return new CodedError('thread_archived', message, {
        hint: 'Nothing more can be said in it. Begin another one: clf ask "…"',
        detail,
      });
    default:
      return undefined;
  }
}
