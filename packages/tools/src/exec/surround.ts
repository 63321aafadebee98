/*
 * Puts the shield around a start, if the request has one, and our tools into it, if it is to have them. What it looks like is
 * decided here and not when it was asked for: links and sockets may have changed while a person was asked.
 */
import type { HostUser, SpawnInput } from '@clawdfather/supervisor';
import type { ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { shieldInput } from '../shield/shield-input.ts';
import type { StoredRequest } from './stored-request.ts';

/* Throws `shield-unavailable`: a command that is to be shielded does not start without. */
export async function surround(
  { shield, toolServers }: ToolsContext,
  { shielded, runId, extras }: StoredRequest,
  user: HostUser | undefined,
): Promise<(input: SpawnInput) => Promise<SpawnInput>> {
  if (shielded === undefined) return async (input) => input;
  const isServed = extras?.tools === true;
  if (shield === undefined || (isServed && toolServers === undefined)) {
    throw new ToolsError('shield-unavailable', 'this program starts no shielded commands', {
      detail: { runId },
      hint: 'Allow it where it was asked for: the gateway or the server that asked starts it.',
    });
  }
  const { tree, letIn } = shielded;
  const servers = isServed ? toolServers : undefined;
  return (input) => shieldInput({ shield, toolServers: servers }, input, { tree, user, letIn });
}
