/*
 * What the journal's `meta` frame holds: everything a rebuild of the registry needs about a run that is not in the
 * shim's own records. Written by us, read by us, perhaps years and versions later: hence a parser, not a cast.
 */
import type { JournalScan } from '@clawdfather/shim';
import type { NewRun } from '../../registry/run-writes.ts';
import type { RunLimits } from '../../spawn-input.ts';
import type { RunId } from '../../types.ts';

export interface RunMeta {
  readonly run: NewRun;
  readonly createdAtMs: number;
  readonly instanceId: string;
  /* The user the run was given to, if not its owner's. */
  readonly uid: number | undefined;
  readonly bounds: RunBounds;
}

/* What people want to know of a run and no decision needs: it is not in the registry. */
export interface RunBounds {
  /* Undefined: an older version did not write it down. */
  readonly graceMs: number | undefined;
  readonly limits: AskedLimits;
}

/* The caller's own limit of open files, which is passed on as a pair (S3), is not among them. */
export type AskedLimits = { readonly [Name in keyof RunLimits]?: number | undefined };

type WrittenMeta = Omit<RunMeta, 'run' | 'bounds'> & {
  readonly bounds: { readonly graceMs: number; readonly limits: RunLimits };
};

export function formatMeta(run: NewRun, rest: WrittenMeta): Buffer {
  return Buffer.from(JSON.stringify({ version: 1, ...rest, run }));
}

/* As far as a journal tells. */
export function runAsOf(scan: JournalScan | undefined): number | undefined {
  return scan?.meta && parseMeta(scan.meta)?.uid;
}

/* Undefined when the bytes are not ours. Fields a newer version added are ignored. */
export function parseMeta(bytes: Uint8Array): RunMeta | undefined {
  const meta = parseObject(Buffer.from(bytes).toString());
  const run = asObject(meta?.['run']);
  if (meta === undefined || run === undefined || meta['version'] !== 1) return undefined;
  const deadlines = asObject(run['deadlines']) ?? {};
  const runId = text(run, 'runId');
  const mode = oneOf(run, 'mode', ['child', 'pty', 'pty-argv'] as const);
  if (runId === undefined || mode === undefined) return undefined;
  return {
    createdAtMs: number(meta, 'createdAtMs') ?? 0,
    instanceId: text(meta, 'instanceId') ?? '',
    uid: number(meta, 'uid'),
    bounds: boundsOf(asObject(meta['bounds']) ?? {}),
    run: {
      runId: runId as RunId,
      sessionId: text(run, 'sessionId') ?? 'unknown',
      backendId: text(run, 'backendId') ?? 'unknown',
      labels: labelsOf(asObject(run['labels'])),
      scopeKey: text(run, 'scopeKey'),
      mode,
      command: text(run, 'command') ?? '',
      cwd: text(run, 'cwd') ?? '/',
      leaseId: text(run, 'leaseId') ?? '',
      ownerLoss: oneOf(run, 'ownerLoss', ['adopt', 'kill'] as const) ?? 'adopt',
      leftovers: oneOf(run, 'leftovers', ['fail', 'end', 'keep'] as const) ?? 'keep',
      deadlines: {
        overallMs: number(deadlines, 'overallMs'),
        noOutputMs: number(deadlines, 'noOutputMs'),
      },
    },
  };
}

function boundsOf(bounds: Fields): RunBounds {
  const limits = asObject(bounds['limits']) ?? {};
  const asked = limitNames.flatMap((name) => {
    const value = number(limits, name);
    return value === undefined ? [] : [[name, value]];
  });
  return { graceMs: number(bounds, 'graceMs'), limits: Object.fromEntries(asked) };
}

const limitNames = ['openFiles', 'cpuSeconds', 'fileBytes', 'memoryBytes', 'processes'] as const;

type Fields = Readonly<Record<string, unknown>>;

function parseObject(json: string): Fields | undefined {
  try {
    return asObject(JSON.parse(json));
  } catch {
    /* Not JSON: not ours. The caller reports the run as one it cannot describe. */
    return undefined;
  }
}

function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

function number(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
}

function oneOf<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word | undefined {
  return words.find((word) => word === fields[name]);
}

function labelsOf(fields: Fields | undefined): Record<string, string> {
  const labels = Object.entries(fields ?? {});
  return Object.fromEntries(
    labels.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
