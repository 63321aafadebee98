/*
 * What the journal's JSON frames say, as types, and their parsers.
 *
 * The same JSON comes in STARTED, EXIT and END on the wire, so both use these.
 * Exit is about the root process, end about the whole tree (T1); the root's
 * code always stands (T4).
 */
import {
  asFields,
  booleanField,
  countField,
  type JsonFields,
  listField,
  numberField,
  optionalNumber,
  optionalString,
  stringField,
} from '../json-fields.ts';
import { type TerminationReason, terminationReasons } from '../wire/constants.ts';

/* O5: everything that is evidence about the root and its shim. */
export interface StartRecord {
  readonly pid: number;
  readonly pgid: number;
  readonly startTicks: number;
  readonly bootId: string;
  readonly pidNs: number;
  /* Of the run directory. */
  readonly dev: number;
  readonly ino: number;
  readonly shimPid: number;
  readonly shimStartTicks: number;
  readonly isPty: boolean;
  readonly epoch: number;
  /* Absent in what older shims wrote. */
  readonly startedUs: number | undefined;
}

/* Of everything that the shim had reaped when it wrote this. */
export interface UsageRecord {
  readonly userUs: number;
  readonly systemUs: number;
  readonly maxRssKb: number;
  readonly readBytes: number;
  readonly writeBytes: number;
}

export interface ProcessRecord {
  readonly pid: number;
  readonly startTicks: number;
  readonly comm: string;
}

export interface ExitRecord extends UsageRecord {
  readonly code: number | undefined;
  readonly signal: number | undefined;
  readonly hasCore: boolean;
  readonly reason: TerminationReason;
  readonly actor: string | undefined;
  readonly detail: string | undefined;
  /* Only of a spawn that failed. */
  readonly errno: number | undefined;
  readonly stage: string | undefined;
  readonly startedUs: number;
  readonly endedUs: number;
  readonly durationMs: number;
  /* 0: it said nothing. Undefined: an older shim or a full disk left it out. */
  readonly lastOutputUs: number | undefined;
  readonly leftovers: readonly ProcessRecord[];
  /* J4: what could not be written any more. */
  readonly undrainedBytes: number;
}

export interface EndRecord {
  readonly reason: TerminationReason;
  readonly actor: string | undefined;
  readonly detail: string | undefined;
  readonly killed: { readonly pid: number; readonly pgid: number; readonly cgroup: number };
  readonly escapees: number;
  readonly survivors: readonly ProcessRecord[];
  /* J4: of leftovers, after the exit record. */
  readonly undrainedBytes: number;
  readonly endedUs: number;
  /* Undefined: an older shim or a full disk left it out. */
  readonly usage: UsageRecord | undefined;
  readonly lastOutputUs: number | undefined;
  /* False: survivors remain, the shim stays, and another end follows. */
  readonly isFinal: boolean;
}

export interface ClaimRecord {
  readonly epoch: number;
  readonly generation: number;
  readonly instance: string;
  readonly pid: number;
  readonly startTicks: number;
}

export function parseStartRecord(fields: JsonFields): StartRecord {
  return {
    pid: numberField(fields, 'pid'),
    pgid: numberField(fields, 'pgid'),
    startTicks: numberField(fields, 'startTicks'),
    bootId: stringField(fields, 'bootId'),
    pidNs: numberField(fields, 'pidNs'),
    dev: numberField(fields, 'dev'),
    ino: numberField(fields, 'ino'),
    shimPid: numberField(fields, 'shimPid'),
    shimStartTicks: numberField(fields, 'shimStartTicks'),
    isPty: booleanField(fields, 'pty'),
    epoch: numberField(fields, 'epoch'),
    startedUs: optionalNumber(fields, 'startedUs'),
  };
}

export function parseExitRecord(fields: JsonFields): ExitRecord {
  return {
    code: optionalNumber(fields, 'code'),
    signal: optionalNumber(fields, 'signal'),
    hasCore: booleanField(fields, 'core'),
    reason: parseReason(fields),
    actor: optionalString(fields, 'actor'),
    detail: optionalString(fields, 'detail'),
    errno: optionalNumber(fields, 'errno'),
    stage: optionalString(fields, 'stage'),
    startedUs: countField(fields, 'startedUs'),
    endedUs: countField(fields, 'endedUs'),
    durationMs: countField(fields, 'durationMs'),
    ...parseUsage(fields),
    lastOutputUs: optionalNumber(fields, 'lastOutputUs'),
    leftovers: listField(fields, 'leftovers').map(parseProcess),
    undrainedBytes: countField(fields, 'undrainedBytes'),
  };
}

export function parseEndRecord(fields: JsonFields): EndRecord {
  const killed = asFields(fields['killed'] ?? {}, 'killed');
  return {
    reason: parseReason(fields),
    actor: optionalString(fields, 'actor'),
    detail: optionalString(fields, 'detail'),
    killed: {
      pid: countField(killed, 'pid'),
      pgid: countField(killed, 'pgid'),
      cgroup: countField(killed, 'cgroup'),
    },
    escapees: countField(fields, 'escapees'),
    survivors: listField(fields, 'survivors').map(parseProcess),
    undrainedBytes: countField(fields, 'undrainedBytes'),
    endedUs: countField(fields, 'endedUs'),
    usage: optionalNumber(fields, 'userUs') === undefined ? undefined : parseUsage(fields),
    lastOutputUs: optionalNumber(fields, 'lastOutputUs'),
    isFinal: booleanField(fields, 'final'),
  };
}

function parseUsage(fields: JsonFields): UsageRecord {
  return {
    userUs: countField(fields, 'userUs'),
    systemUs: countField(fields, 'systemUs'),
    maxRssKb: countField(fields, 'maxRssKb'),
    readBytes: countField(fields, 'readBytes'),
    writeBytes: countField(fields, 'writeBytes'),
  };
}

export function parseClaimRecord(fields: JsonFields): ClaimRecord {
  return {
    epoch: numberField(fields, 'epoch'),
    generation: numberField(fields, 'generation'),
    instance: stringField(fields, 'instance'),
    pid: numberField(fields, 'pid'),
    startTicks: numberField(fields, 'startTicks'),
  };
}

function parseProcess(value: unknown): ProcessRecord {
  const fields = asFields(value, 'process');
  return {
    pid: numberField(fields, 'pid'),
    startTicks: numberField(fields, 'startTicks'),
    comm: stringField(fields, 'comm'),
  };
}

/* A reason of a newer shim is one we do not know: that is what `unknown` says. */
export function parseReason(fields: JsonFields): TerminationReason {
  const name = stringField(fields, 'reason');
  return terminationReasons.find((reason) => reason === name) ?? 'unknown';
}
