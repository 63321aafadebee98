/*
 * A host made of data, for the process simulator: processes are put in and taken
 * out by hand, and evidence is collected from them by the real collector.
 */
import type { ProcessReading, ProcessTable } from '../src/evidence/process-table.ts';
import { collectRunEvidence } from '../src/evidence/run-evidence.ts';
import type { DirReading, RunEvidence, SocketReading } from '../src/evidence/run-evidence.ts';
import type { RunRecord } from '../src/types.ts';
import { bootA, namespaceA, recordOf } from './records.ts';

export interface FakeProcess {
  readonly startTicks: number;
  readonly processGroupId?: number;
  readonly parentPid?: number;
  readonly state?: string;
  readonly leaseId?: string;
  /** For people; no decision may look at it. */
  readonly comm?: string;
}

export interface FakeHost {
  readonly bootId?: string;
  readonly pidNamespace?: number;
  readonly processes?: Readonly<Record<number, FakeProcess | 'unreadable'>>;
  readonly socket?: SocketReading;
  readonly runDir?: DirReading;
}

export function fakeTable(processes: NonNullable<FakeHost['processes']>): ProcessTable {
  return {
    read: (pid): ProcessReading => {
      const found = processes[pid];
      if (found === undefined) return { kind: 'absent' };
      if (found === 'unreadable') return { kind: 'unreadable', why: 'process listing unavailable' };
      const { state = 'S', comm = 'sh', parentPid = 1, startTicks } = found;
      const processGroupId = found.processGroupId ?? pid;
      const stat = {
        pid,
        comm,
        state,
        parentPid,
        processGroupId,
        kernelSessionId: processGroupId,
        startTicks,
      };
      return { kind: 'found', stat, isZombie: state === 'Z' };
    },
    leaseIdOf: (pid) => {
      const found = processes[pid];
      return found === undefined || found === 'unreadable' ? undefined : found.leaseId;
    },
    programOf: () => undefined,
    variablesOf: () => undefined,
  };
}

export function evidenceOf(host: FakeHost, record: RunRecord = recordOf()): RunEvidence {
  const here = { bootId: host.bootId ?? bootA, pidNamespace: host.pidNamespace ?? namespaceA };
  const input = { record, runDirPath: '/nonexistent', socket: host.socket ?? 'not-tried' } as const;
  const evidence = collectRunEvidence(here, fakeTable(host.processes ?? {}), input);
  const recorded = {
    kind: 'found',
    dev: record.runDirDev ?? 0,
    ino: record.runDirIno ?? 0,
  } as const;
  return { ...evidence, runDir: host.runDir ?? recorded };
}

/** The shim and the root of `recordOf()`, alive. */
export const livingShim = { 499: { startTicks: 8_999 } };
export const livingRoot = { 500: { startTicks: 9_000, leaseId: 'lease-of-run1' } };
