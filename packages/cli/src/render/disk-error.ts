/*
 * What a disk refused, wherever it was: the path, which disk it is, and what is wrong with it. The state directory has words of its
 * own (supervisor, disk-refusal.ts), because there much can still be done.
 */
import { dirname } from 'node:path';
import { CodedError, errnoOf } from '@clawdfather/kit';
import { formatDisk, readDisk } from '@clawdfather/supervisor/disk';
import { CliError } from '../errors.ts';

const refusals: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EROFS'];
/* SQLITE_FULL, and the answer that SQLite gives for a quota. */
const fullCodes: readonly unknown[] = [13, 778];

/* Any other error as it is. */
export function explainDiskError(error: unknown): unknown {
  // The state directory's own says it all.
  if (error instanceof CodedError && 'disk' in error.detail) return error;
  const path = refusedPath(error, undefined);
  const text = path === undefined ? undefined : describe(path);
  if (path === undefined || text === undefined) return error;
  const hint = `See what fills it: clf ps, clf gc --explain. Or choose another place than ${dirname(path)}.`;
  const message = `${path} cannot be written: ${text}`;
  if (!(error instanceof CodedError)) return new CliError('disk-unwritable', message, { hint });
  const { code, detail } = error;
  return new CodedError(code, `${error.message}: ${message}`, { detail, hint: error.hint ?? hint });
}

/* The kernel names the path; SQLite does not, and the error around it may. */
function refusedPath(error: unknown, around: string | undefined): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const own = error instanceof CodedError ? error.detail['path'] : undefined;
  const named = typeof own === 'string' ? own : around;
  if (refusals.includes(errnoOf(error))) {
    return 'path' in error && typeof error.path === 'string' ? error.path : named;
  }
  if ('errcode' in error && fullCodes.includes(error.errcode)) return named;
  return refusedPath(error.cause, named);
}

function describe(path: string): string | undefined {
  try {
    return formatDisk(readDisk(dirname(path), true));
  } catch {
    // Its directory cannot be looked at; the error itself has to do.
    return undefined;
  }
}
