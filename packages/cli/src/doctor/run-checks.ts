/*
 * Checks of what is recorded against what is there: run directories, owners,
 * runs that cannot be verified, processes that were left behind.
 */
import type { OwnerRecord, ReconcileDecision, RunRecord, Stall } from '@clawdfather/supervisor';
import { formatBytes } from '../render/bytes.ts';
import { formatStall } from '../render/run-table.ts';
import { shortId } from '../runs/find-run.ts';
import type { Finding } from './finding.ts';

/* Named in a finding; the rest is counted. */
const namesMax = 5;

export interface RunDirFacts {
  readonly records: readonly Pick<RunRecord, 'runId'>[];
  readonly directories: readonly string[];
  /* Nothing is in it: a start that its starter did not live to make (S1). */
  readonly isEmpty: (directory: string) => boolean;
}

export function checkRunDirs({ records, directories: names, isEmpty }: RunDirFacts): Finding {
  const check = 'registry';
  // A gateway tries whether it can write there; the name of a run never begins like that.
  const directories = names.filter((name) => !name.startsWith('.'));
  const known = new Set<string>(records.map((record) => record.runId));
  const present = new Set(directories);
  const unrecorded = directories.filter((name) => !known.has(name));
  const unknown = unrecorded.filter((name) => !isEmpty(name));
  const stray = unrecorded.length - unknown.length;
  const absent = records.filter((record) => !present.has(record.runId));
  if (unknown.length > 0) {
    return {
      check,
      status: 'warn',
      summary: `run directories without a record: ${listed(unknown)}`,
      advice: 'Make the registry anew from them: clf doctor --rebuild',
    };
  }
  if (absent.length > 0) {
    return {
      check,
      status: 'warn',
      summary: `records whose directory is gone: ${listed(absent.map(shortId))}`,
      advice: 'Their output is lost; clf rm forgets them.',
    };
  }
  const summary = `${count(records.length, 'run')}, all with a directory`;
  if (stray === 0) return { check, status: 'ok', summary };
  return {
    check,
    status: 'info',
    summary: `${summary}; ${count(stray, 'start')} came to nothing`,
    advice: 'clf gc clears away what such a start leaves, after ten minutes.',
  };
}

export interface OwnerFacts {
  readonly owners: readonly OwnerRecord[];
  readonly runs: readonly RunRecord[];
  /* One that was killed keeps its lease until somebody needs to know. */
  readonly isAlive: (owner: OwnerRecord) => boolean;
}

export function checkOwners({ owners, runs, isAlive }: OwnerFacts): Finding {
  const check = 'owners';
  const held = owners.filter((owner) => !owner.isReleased && !owner.isRevoked && isAlive(owner));
  const live = runs.filter((record) => record.exit === undefined);
  const isHeld = (record: RunRecord): boolean =>
    held.some(
      (owner) =>
        owner.instanceId === record.ownerInstanceId && owner.generation === record.ownerGeneration,
    );
  const orphans = live.filter((record) => !isHeld(record)).length;
  const summary = `${count(held.length, 'owner')}, ${count(live.length, 'live run')}`;
  if (orphans === 0) return { check, status: 'ok', summary };
  return {
    check,
    status: 'info',
    summary: `${summary}, ${orphans} of them without an owner`,
    advice:
      'That is what detached runs look like. They go on, deadlines and all, and can be ended.',
  };
}

/* J4: they live, and do nothing until there is room. */
export function checkStalls(
  records: readonly RunRecord[],
  stalls: ReadonlyMap<RunRecord['runId'], Stall>,
): Finding {
  const check = 'stalled';
  const standing = records.filter(({ runId }) => stalls.has(runId));
  if (standing.length === 0) {
    return { check, status: 'ok', summary: 'the output of every live run can be kept' };
  }
  const told = standing.map((record) => {
    const stall = stalls.get(record.runId);
    return `${shortId(record)} (${stall === undefined ? '' : formatStall(stall)})`;
  });
  return {
    check,
    status: 'warn',
    summary: `stand still, because their output cannot be kept: ${listed(told)}`,
    advice: `Make space: clf gc. Or end them: clf kill ${standing.slice(0, namesMax).map(shortId).join(' ')}`,
  };
}

/* J4: the run was ended while the disk took nothing. */
export function checkUnsaved(records: readonly RunRecord[]): readonly Finding[] {
  const short = records.flatMap((record) => {
    const bytes = record.exit?.undrainedBytes ?? 0;
    return bytes === 0 ? [] : [`${shortId(record)} (${formatBytes(bytes)})`];
  });
  if (short.length === 0) return [];
  return [
    {
      check: 'unsaved-output',
      status: 'warn',
      summary: `what these runs said last was never saved, because the disk did not take it: ${listed(short)}`,
      advice:
        'They were ended before there was room. What they said before is there: clf logs. clf rm forgets them.',
    },
  ];
}

export function checkDecisions(decisions: readonly ReconcileDecision[]): Finding {
  const check = 'unverifiable';
  const unclear = decisions.filter(({ decision }) => decision === 'unverifiable');
  if (unclear.length === 0) return { check, status: 'ok', summary: 'every live run is verified' };
  const told = unclear.slice(0, namesMax).map((one) => `${shortId(one)} (${one.why})`);
  return {
    check,
    status: 'warn',
    summary: `cannot be verified and are left alone: ${told.join(', ')}${more(unclear.length)}`,
    advice: 'Another container, a copied state directory or a hidden /proc are the usual causes.',
  };
}

export function checkLeftovers(records: readonly RunRecord[]): Finding {
  const check = 'leftovers';
  const unfinished = records.filter(
    (record) => record.exit !== undefined && record.treeEndedAtMs === undefined,
  );
  if (unfinished.length === 0) {
    return { check, status: 'ok', summary: 'no finished run has left processes behind' };
  }
  const told = unfinished.slice(0, namesMax).map(leftoverText);
  return {
    check,
    status: 'warn',
    summary: `finished, but something of them lives: ${told.join('; ')}${more(unfinished.length)}`,
    advice: `End them: clf kill ${unfinished.slice(0, namesMax).map(shortId).join(' ')}`,
  };
}

function leftoverText(record: RunRecord): string {
  const processes = [...(record.exit?.survivors ?? []), ...(record.exit?.leftovers ?? [])];
  const names = processes.slice(0, namesMax).map((one) => `${one.comm} ${one.pid}`);
  return `${shortId(record)} (${names.join(', ')})`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, namesMax).join(', ')}${more(names.length)}`;
}

function more(total: number): string {
  return total > namesMax ? ` and ${total - namesMax} more` : '';
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
