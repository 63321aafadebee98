/*
 * Who may type into a run, send it a signal or resize it. Ending it is another question (may-end.ts).
 *
 * D1 A run that a person started on a device has passed no policy for agents. No approval is asked for what is typed into it, into
 *    a shell for one. So a token may only look at it.
 * D2 A member drives only runs of the member's own Unix user. An older run of a member may have the gateway's user, and typing into
 *    it would give access to everything of the gateway; a member may look at it and end it.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import { hostLabel, localHost, requesterLabel, runAsLabel } from '@clawdfather/supervisor/origins';
import { ApiError } from '../http/api-error.ts';
import { type Caller, isOfDevice } from '../http/caller.ts';

type Driver = Pick<Caller, 'kind' | 'isOwner'>;

/* The reason of a refusal as a sentence; undefined when it is allowed. */
function whyMayNotDrive(
  { kind, isOwner }: Driver,
  { labels }: Pick<RunRecord, 'labels'>,
): string | undefined {
  if (kind === 'token' && isOfDevice(labels[requesterLabel] ?? '')) {
    return 'a person started this run: a token can look at it, no more';
  }
  if (!isOwner && labels[hostLabel] === localHost && labels[runAsLabel] === undefined) {
    return 'this run has the rights of the gateway itself: your account can look at it and end it';
  }
  return undefined;
}

/* Throws `forbidden`. */
export function checkMayDrive(caller: Driver, record: RunRecord): void {
  const why = whyMayNotDrive(caller, record);
  if (why === undefined) return;
  throw new ApiError('forbidden', why, { detail: { needs: 'person', has: caller.kind } });
}
