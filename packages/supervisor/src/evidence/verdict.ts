/*
 * What the evidence says about a recorded process (O5). Pure.
 *
 *   alive-ours     boot, namespace, pid, start time and run directory all match
 *   missing        proven gone: another boot, ESRCH in our namespace, a zombie,
 *                  or no process listening on its socket under the same boot id
 *   reused         the pid belongs to another process now; the recorded one is gone
 *   foreign        it belongs to another state directory or carries another lease
 *   unverifiable   anything else; it is left alone and reported
 *
 * Command lines and program names are never looked at: quoting, wrappers and
 * renamed threads make them guesses.
 */
import type { RunRecord } from '../types.ts';
import type { ProcessReading } from './process-table.ts';
import type { RunEvidence, SeenProcess } from './run-evidence.ts';

export interface Verdict {
  readonly verdict: 'alive-ours' | 'missing' | 'reused' | 'foreign' | 'unverifiable';
  readonly why: string;
}

/** A process as it was written down. */
export interface RecordedProcess {
  readonly pid: number;
  readonly startTicks: number;
  readonly processGroupId?: number | undefined;
  readonly leaseId?: string | undefined;
}

/** The shim, which holds the run. */
export function verdictOfShim(record: RunRecord, evidence: RunEvidence): Verdict {
  const frame = verdictOfFrame(record, evidence);
  if (frame !== undefined) return frame;
  if (evidence.socket === 'greeted') return say('alive-ours', 'its socket knows our cookie');
  const process = verdictOfRecorded(record, evidence, {
    name: 'shim',
    seen: evidence.shim,
    recorded: recordedProcess(record.shimPid, record.shimStartTicks),
  });
  if (evidence.socket !== 'refused') return process;
  // Between bind and listen a socket refuses too; a living shim outweighs it.
  if (process.verdict === 'alive-ours') return say('unverifiable', 'it lives but does not listen');
  return say('missing', 'no process listens on its socket');
}

/** The root: the command itself, which may outlive a killed shim. */
export function verdictOfRoot(record: RunRecord, evidence: RunEvidence): Verdict {
  const frame = verdictOfFrame(record, evidence);
  if (frame !== undefined) return frame;
  const { processGroupId, leaseId } = record;
  const recorded = recordedProcess(record.pid, record.startTicks);
  return verdictOfRecorded(record, evidence, {
    name: 'root',
    seen: evidence.root,
    recorded: recorded && { ...recorded, processGroupId, leaseId },
  });
}

/** One process in our own boot and namespace. */
export function verdictOfProcess(recorded: RecordedProcess, seen: SeenProcess): Verdict {
  const { reading, leaseId } = seen;
  if (reading.kind === 'absent') return say('missing', 'no process has this pid');
  if (reading.kind === 'unreadable') return say('unverifiable', reading.why);
  const { stat, isZombie } = reading;
  if (stat.startTicks !== recorded.startTicks) {
    return say('reused', 'the pid belongs to a process that started at another time');
  }
  // Its parent has not waited for it yet; nothing of it runs, nothing can be signalled.
  if (isZombie) return say('missing', 'it is a zombie');
  const isOtherLease = leaseId !== undefined && leaseId !== recorded.leaseId;
  if (recorded.leaseId !== undefined && isOtherLease) {
    return say('foreign', 'it carries another lease id');
  }
  const { processGroupId } = recorded;
  if (processGroupId !== undefined && processGroupId !== stat.processGroupId) {
    return say('unverifiable', 'it is in another process group than recorded');
  }
  return say('alive-ours', 'pid, start time and group match');
}

/** An owner that is `missing` or `reused` is proven dead (O2). */
export function verdictOfOwner(
  owner: RecordedProcess & { readonly bootId: string; readonly pidNamespace: number },
  here: { readonly bootId: string; readonly pidNamespace: number },
  reading: ProcessReading,
): Verdict {
  if (owner.bootId !== here.bootId) return say('missing', 'the host has booted since');
  if (owner.pidNamespace !== here.pidNamespace) {
    return say('unverifiable', 'it lives in another pid namespace');
  }
  return verdictOfProcess(owner, { reading, leaseId: undefined });
}

export function isGone({ verdict }: Verdict): boolean {
  return verdict === 'missing' || verdict === 'reused';
}

/** What boot id and run directory decide before any pid is looked at. */
function verdictOfFrame(record: RunRecord, evidence: RunEvidence): Verdict | undefined {
  if (record.bootId !== evidence.bootId) return say('missing', 'the host has booted since');
  const { runDir } = evidence;
  if (runDir.kind !== 'found' || record.runDirIno === undefined) return undefined;
  const isSameDir = runDir.ino === record.runDirIno && runDir.dev === record.runDirDev;
  return isSameDir ? undefined : say('foreign', 'its run directory is a copy');
}

interface Subject {
  readonly name: string;
  readonly seen: SeenProcess | undefined;
  readonly recorded: RecordedProcess | undefined;
}

function verdictOfRecorded(
  record: RunRecord,
  evidence: RunEvidence,
  { name, seen, recorded }: Subject,
): Verdict {
  if (recorded === undefined) return say('unverifiable', `no ${name} was recorded`);
  if (record.pidNamespace !== evidence.pidNamespace) {
    return say('unverifiable', 'it lives in another pid namespace');
  }
  if (seen === undefined) return say('unverifiable', `the ${name} was not looked at`);
  return verdictOfProcess(recorded, seen);
}

function recordedProcess(
  pid: number | undefined,
  startTicks: number | undefined,
): RecordedProcess | undefined {
  return pid === undefined || startTicks === undefined ? undefined : { pid, startTicks };
}

function say(verdict: Verdict['verdict'], why: string): Verdict {
  return { verdict, why };
}
