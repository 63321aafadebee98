/*
 * The runs of this machine's registry: all of them, or those that are not on an SSH host (`--host local`), with what they use.
 *
 * What a gateway connects to SSH hosts with is a run, too, and none that anybody has started: it is listed only for one who asks
 * for its backend or its id.
 */
import type { RunFilter, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { hostNameOf, localHost, sshBackend } from '@clawdfather/supervisor/origins';
import type { RunQuery } from './place.ts';
import type { RunHere } from './settle-here.ts';

/* Of one look. */
const pageRows = 1_000;

/* `host`: what the command is about; undefined: all. */
export function listHere(
  supervisor: Pick<Supervisor, 'list' | 'uses'>,
  host: string | undefined,
  { withUse = false, isAnyHost = false, ...query }: RunQuery,
): readonly RunHere[] {
  const isSifted = host !== undefined && !isAnyHost;
  const filter = { ...query, ...hiddenOf(query) };
  const records = isSifted ? listLocal(supervisor, filter) : supervisor.list(filter);
  return withUse ? withUses(supervisor, records) : records;
}

function hiddenOf({ backendId, idPrefix }: RunQuery): Pick<RunFilter, 'exceptBackendId'> {
  const isAsked = backendId !== undefined || (idPrefix ?? '') !== '';
  return isAsked ? {} : { exceptBackendId: sshBackend };
}

/* Few are elsewhere, so what is left out is asked for again from behind it. */
function listLocal(
  supervisor: Pick<Supervisor, 'list'>,
  { limit = Number.POSITIVE_INFINITY, ...query }: RunFilter,
): readonly RunRecord[] {
  const found: RunRecord[] = [];
  for (let offset = 0; found.length < limit; offset += pageRows) {
    const page = supervisor.list({ ...query, limit: pageRows, offset });
    found.push(...page.filter(({ labels }) => hostNameOf(labels) === localHost));
    if (page.length < pageRows) break;
  }
  return found.slice(0, limit);
}

function withUses(
  supervisor: Pick<Supervisor, 'uses'>,
  records: readonly RunRecord[],
): readonly RunHere[] {
  const uses = supervisor.uses(records);
  return records.map((record) => {
    const use = uses.get(record.runId);
    return use === undefined ? record : { ...record, use };
  });
}
