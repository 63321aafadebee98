/*
 * The end of an agent that was closed on purpose, in words. Pure.
 */
import { type Facts, wordOf } from '../facts.ts';

const closings: Readonly<Record<string, string>> = {
  archived: 'Put away; its agent was closed.',
  asked: 'Its agent was closed.',
  'session-closed': 'Its session was closed, and its agent with it.',
  'session-over': 'Its session is over, and its agent was closed with it.',
  cancelled: 'Stopped; its agent was closed.',
  'cancel-ignored': 'The agent did not stop when it was asked to, so it was closed.',
  'choice-unanswered': 'The agent did not answer when it was told its mode, so it was closed.',
};

/* Undefined: it is not that, or it ended for a reason of its own. */
export function closedAgentWords({ event, closing, reason }: Facts): string | undefined {
  if (event !== 'agent-ended') return undefined;
  const why = wordOf(closing);
  if (why !== undefined) return Object.hasOwn(closings, why) ? closings[why] : undefined;
  // As older gateways have told it: only that it was us.
  return reason === 'manual-cancel' ? closings['asked'] : undefined;
}
