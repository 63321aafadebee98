/*
 * Who may type into a run, send it a signal or resize it. Ending it is another question (may-end.ts).
 *
 * D1 What a person started on a device has passed no policy for agents, a shell least of all: what is typed into it is asked about by
 *    nobody. So a token looks at it and no more.
 * D2 A member drives only what runs as the member's own Unix user. A run as the gateway's user, from the time before members had
 *    users of their own, would be a way to everything that is the gateway's; it can be looked at and ended.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import { hostLabel, localHost, requesterLabel, runAsLabel } from '@clawdfather/supervisor/origins';
import { ApiError } from '../http/api-error.ts';
import { type Caller, isOfDevice } from '../http/caller.ts';

type Driver = Pick<Caller, 'kind' | 'isOwner'>;

/* A sentence, or undefined when nothing speaks against it. */
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
