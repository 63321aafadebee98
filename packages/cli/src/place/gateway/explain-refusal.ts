/*
 * What a gateway refuses, with the code that the same mistake has on this machine; and what to do about it.
 */
import { CodedError, hasCode } from '@clawdfather/kit';
import { CliError, type CliErrorCode } from '../../errors.ts';
import { formatDuration } from '../../render/duration.ts';
import { notStarted } from '../../runs/find-run.ts';
import { placeFlag, type Target } from '../../sign-in/find-gateway.ts';
import type { HeldRequest } from '../place.ts';

/* By the gateway's own reason where it names one, else by its code. Others keep the code of the API. */
const sameHere: Readonly<Record<string, CliErrorCode>> = {
  not_found: 'run-not-found',
  not_running: 'run-ended',
  still_running: 'run-still-alive',
  input_blocked: 'input-blocked',
  name_taken: 'name-taken',
  'no-terminal': 'not-a-terminal',
  'unknown-host': 'host-not-found',
};

/* Reasons that are the codes of the same refusals here. */
const reasonsHere: ReadonlySet<unknown> = new Set([
  'cursor-invalid',
  'input-invalid',
  'limits-unsupported',
  'registry-full',
  'signal-unknown',
  'stdin-closed',
]);

/* What to do with clf about it, by reason or code; the gateway's own words are for callers of the API. */
const hintsHere: Readonly<Record<string, string>> = {
  'unknown-host': 'All of them: clf host ls',
  changed: 'Nothing was decided. Look at it again, and decide then: clf approvals',
  connection_not_tested: 'Test it: clf host test NAME',
  active_session_exists:
    'Close it first, which ends what runs in it: clf session close NAME (all of them: clf session ls)',
  active_sessions_exist:
    'Close them first (clf session ls, clf session close), or let --force do it. What runs in them is ended.',
};

/* Any other error as it is. */
export async function explainRefusal(target: Target, error: unknown): Promise<unknown> {
  const { RefusedError } = await import('@clawdfather/sdk');
  if (hasCode(error, 'gateway-unreachable')) return noAnswer(target, error);
  if (!(error instanceof RefusedError)) return error;
  const { code } = error.refusal;
  if (code === 'unauthorized') return notSignedIn(target, error);
  const { reason, approval_id: approvalId } = error.detail;
  if (code === 'not_running' && typeof approvalId === 'string') {
    return notStarted(heldOf(approvalId, error.detail), placeFlag(target));
  }
  const { retry_after_seconds: waitSeconds } = error.detail;
  if (code === 'rate_limited' && typeof waitSeconds === 'number') {
    return new CodedError(code, 'this was asked for too often', {
      cause: error.cause,
      detail: error.detail,
      hint: `Try again in ${formatDuration(waitSeconds * 1000)}.`,
    });
  }
  const named = reasonsHere.has(reason) ? String(reason) : undefined;
  const known = sameHere[String(reason)] ?? sameHere[code];
  const hintHere = hintsHere[String(reason)] ?? hintsHere[code];
  const parts = {
    cause: error.cause,
    detail: error.detail,
    ...(code === 'storage_full' ? { hint: fullHint(target) } : {}),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(hintHere === undefined ? {} : { hint: hintHere }),
  };
  return known === undefined || named !== undefined
    ? new CodedError(named ?? code, error.message, parts)
    : new CliError(known, error.message, parts);
}

/* A default names no gateway on the command line, so the answer does; and how to do without it. */
function noAnswer({ name, url, isLocal }: Target, { code, cause, detail }: CodedError): CodedError {
  const { host } = new URL(url);
  const whose = isLocal || name === host ? host : `${name} (${host})`;
  return new CodedError(code, `no answer from ${whose}`, {
    cause,
    detail,
    hint: 'Is the gateway running, and the network up? For the runs of this machine: -g local.',
  });
}

/* The gateway says which disk it is where it knows; how much there is to gain, only its machine does. */
function fullHint({ url }: Target): string {
  return `It is the disk on which the gateway ${url} keeps its state. On its machine: clf doctor, clf gc`;
}

function heldOf(approvalId: string, detail: Readonly<Record<string, unknown>>): HeldRequest {
  const { run_id: runId, state, changed, asked_again_as: askedAgainAs } = detail;
  return {
    approvalId,
    runId: String(runId),
    state: state as HeldRequest['state'],
    changed: typeof changed === 'string' ? changed : undefined,
    askedAgainAs: typeof askedAgainAs === 'string' ? askedAgainAs : undefined,
  };
}

export function notSignedIn({ url, isLocal }: Target, cause?: unknown): CliError {
  const why = cause === undefined ? 'you are not signed in to' : 'your sign-in has ended at';
  return new CliError('not-signed-in', `${why} ${url}`, {
    hint: isLocal
      ? 'Sign in: clf login. On the machine of the gateway it asks nothing.'
      : `Sign in: clf login ${url}`,
    detail: { url },
  });
}
