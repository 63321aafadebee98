/*
 * Puts the shield around a start, if the request has one. What it looks like is decided here and not when it was asked for: links
 * and sockets may have changed while a person was asked.
 */
import type { HostUser, SpawnInput } from '@clawdfather/supervisor';
import { shieldLabel } from '@clawdfather/supervisor/origins';
import type { ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import type { StoredRequest } from './stored-request.ts';

/* Throws `shield-unavailable`: a command that is to be shielded does not start without. */
export async function surround(
  { shield }: ToolsContext,
  { shielded, runId }: StoredRequest,
  user: HostUser | undefined,
): Promise<(input: SpawnInput) => SpawnInput> {
  if (shielded === undefined) return (input) => input;
  if (shield === undefined) {
    throw new ToolsError('shield-unavailable', 'this program starts no shielded commands', {
      detail: { runId },
      hint: 'Allow it where it was asked for: the gateway or the server that asked starts it.',
    });
  }
  const description = await shield.describe({ tree: shielded.tree, user });
  if (description === undefined) return (input) => input;
  const { level } = await shield.state();
  return (input) => ({
    ...input,
    shield: description,
    labels: { ...input.labels, [shieldLabel]: level },
  });
}
