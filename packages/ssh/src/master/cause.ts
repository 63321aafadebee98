/*
 * Why a connection did not come about or ended, from evidence. Never from a text: those of ssh differ from release to release, and
 * its exit status is always 255.
 *
 * The evidence is that of our own parts, in the order in which a connection is made: the resolver, the dialer, the host key
 * program, the signer, the socket, the end of the run. The last stage that was reached and the way it ended make the cause.
 * An end that we asked for is known only by having recorded the asking, so that comes first.
 */
import type { ResolveOutcome } from '../addresses/resolve-target.ts';
import { comparePin, parseHostKey } from '../pins/host-key.ts';
import type { HostKey } from '../pins/host-key.ts';
import type { MasterCause } from './cause-table.ts';
import type { ReportLine } from './report.ts';

/* What the signer remembers of this login. */
export interface SignerFacts {
  readonly identitiesAsked: boolean;
  readonly bound: boolean;
  readonly signRequests: number;
  readonly signed: number;
  readonly refusals: readonly string[];
}

export type RunEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  /* The program did not start; `errno` is the system's word for it. */
  | { readonly kind: 'not-started'; readonly errno: string | undefined }
  /* The supervisor cannot say: its machine was restarted, for one. */
  | { readonly kind: 'unknown' };

/* Why we ended it ourselves: the first reason counts. */
export type DrainWhy = 'closed' | 'pin-changed' | 'key-revoked' | 'silence' | 'start-limit';

export interface MasterEvidence {
  readonly resolved: ResolveOutcome | undefined;
  readonly report: readonly ReportLine[];
  readonly pin: HostKey | undefined;
  /* Undefined: it was not there for all of the login. */
  readonly signer: SignerFacts | undefined;
  readonly isSocketSeen: boolean;
  readonly asked: DrainWhy | undefined;
  /* Undefined while it runs. */
  readonly runEnd: RunEnd | undefined;
  /* From the dialer's success to the run's end; undefined if either is not known. */
  readonly endedAfterDialMs: number | undefined;
  /* As in the configuration: after it ssh gives up on a silent server. */
  readonly connectSeconds: number;
  /* Since the last failed login of ours on this host. */
  readonly failedLoginMsAgo: number | undefined;
}

/* The longest time for which sshd turns an address away by default. */
const penaltyMsMax = 600_000;
/* ssh's own clock and ours start at different moments. */
const connectSlackMs = 1_000;

const shortages = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOSPC', 'EDQUOT', 'ENOBUFS'];
/* All ports towards this host are in use; a limit of this machine. */
const localDialErrors = [...shortages, 'EADDRNOTAVAIL'];

/* This machine has run out of something. */
export function isShortage(errno: string | undefined): boolean {
  return shortages.includes(errno ?? '');
}

export function causeOf(evidence: MasterEvidence): MasterCause {
  return (
    causeOfAsking(evidence) ??
    causeOfResolving(evidence) ??
    causeOfRun(evidence) ??
    (evidence.isSocketSeen ? causeOfLiveEnd(evidence) : undefined) ??
    causeOfDialing(evidence) ??
    causeOfKeying(evidence) ??
    causeOfLogin(evidence)
  );
}

function causeOfAsking({ asked }: MasterEvidence): MasterCause | undefined {
  if (asked === 'silence') return 'keepalive';
  // At the limit for starting the stage that it was in says more.
  return asked === 'start-limit' ? undefined : asked;
}

function causeOfResolving({ resolved }: MasterEvidence): MasterCause | undefined {
  if (resolved === undefined || resolved.outcome === 'resolved') return undefined;
  if (resolved.outcome === 'forbidden') return 'address-forbidden';
  // A look-up is given up only when the whole start is.
  return resolved.outcome === 'aborted' ? 'closed' : 'dns';
}

function causeOfRun({ runEnd, asked }: MasterEvidence): MasterCause | undefined {
  if (runEnd?.kind === 'not-started') {
    return isShortage(runEnd.errno) ? 'local-limit' : 'ssh-unusable';
  }
  if (runEnd?.kind === 'unknown') return 'master-lost';
  // At the limit the signal is ours.
  return runEnd?.kind === 'signal' && asked === undefined ? 'master-killed' : undefined;
}

function causeOfLiveEnd({ runEnd }: MasterEvidence): MasterCause {
  return runEnd === undefined ? 'master-lost' : 'host-closed';
}

function causeOfDialing({ report, runEnd, asked }: MasterEvidence): MasterCause | undefined {
  if (report.some(({ kind }) => kind === 'dial-connected')) return undefined;
  const failed = report.find((line) => line.kind === 'dial-failed');
  if (failed !== undefined) return causeOfErrno(failed.errno);
  if (report.some(({ kind }) => kind === 'dial-timeout')) return 'timeout';
  // The dialer said nothing: it waits still, or it could not even be started.
  return runEnd === undefined || asked === 'start-limit' ? 'timeout' : 'dial-failed';
}

function causeOfErrno(errno: string): MasterCause {
  if (localDialErrors.includes(errno)) return 'local-limit';
  switch (errno) {
    case 'ECONNREFUSED':
      return 'refused';
    case 'ETIMEDOUT':
      return 'timeout';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
    case 'ENETDOWN':
      return 'no-route';
    default:
      return 'dial-failed';
  }
}

function causeOfKeying(evidence: MasterEvidence): MasterCause | undefined {
  if (evidence.report.some(({ kind }) => kind === 'hostkey-bad-pins')) return 'pin-unreadable';
  const offer = offeredKey(evidence.report);
  if (offer === undefined) return causeBeforeKey(evidence);
  if (offer === 'unusable') return 'host-key-unusable';
  const verdict = comparePin(evidence.pin, offer);
  return verdict === 'same' ? undefined : `host-key-${verdict}`;
}

/* Of the last call with a key: a master makes one connection. */
export function offeredKey(report: readonly ReportLine[]): HostKey | 'unusable' | undefined {
  const line = report.findLast(
    (each) =>
      each.kind === 'hostkey-malformed' ||
      (each.kind === 'hostkey' && each.invocation === 'HOSTNAME'),
  );
  if (line?.kind === 'hostkey-malformed') return 'unusable';
  if (line?.kind !== 'hostkey') return undefined;
  const reading = parseHostKey(`${line.type} ${line.blob}`);
  return reading.outcome === 'read' ? reading.key : 'unusable';
}

function causeBeforeKey(evidence: MasterEvidence): MasterCause {
  const { asked, runEnd, endedAfterDialMs, connectSeconds, failedLoginMsAgo } = evidence;
  if (asked === 'start-limit' || runEnd === undefined) return 'silent-server';
  const limitMs = connectSeconds * 1_000 - connectSlackMs;
  if (endedAfterDialMs !== undefined && endedAfterDialMs >= limitMs) return 'silent-server';
  const isSoon = failedLoginMsAgo !== undefined && failedLoginMsAgo <= penaltyMsMax;
  return isSoon ? 'penalty-suspected' : 'closed-early';
}

/* The host's key is the pinned one, and there is no socket. */
function causeOfLogin({ signer, asked, runEnd }: MasterEvidence): MasterCause {
  if (signer === undefined) return 'signer-gone';
  if (signer.refusals.length > 0 && signer.signed === 0) return 'signer-refused';
  if (asked === 'start-limit' || runEnd === undefined) return 'login-stalled';
  if (signer.signed > 0) return 'refused-after-signature';
  if (signer.signRequests > 0) return 'signer-refused';
  return signer.identitiesAsked ? 'key-not-installed' : 'closed-before-login';
}
