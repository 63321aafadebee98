/*
 * From what a person typed to the one approval that is meant: its id, its run's id, or a unique beginning of either.
 */
import { suggestNearest } from '@clawdfather/kit';
import type { Gatekeeper } from '@clawdfather/tools';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';

/* As for runs: unique on one host, short enough to type. */
export const shortApprovalChars = 12;

/* Enough to show that there are several. */
const candidatesMax = 6;
/* For a near miss: more than wait on a machine whose owner looks at them. */
const nearestMax = 200;

const elsewhere =
  'See what waits: clf approvals. It may wait in another state directory (--state-dir DIR) or at a gateway (-g NAME).';

type Lookup = Pick<Gatekeeper, 'approval' | 'approvalOf' | 'list'>;

const waits = { states: ['pending'] } as const;

/* The whole id. `stateDir` is for an error: what is not found here may wait in another one. */
export function findApproval(gatekeeper: Lookup, typed: string, stateDir: string): string {
  const isId = /^[0-9a-z-]+$/.test(typed);
  if (!isId) throw notFound(gatekeeper, typed, stateDir);
  const exact = gatekeeper.approval(typed) ?? gatekeeper.approvalOf(typed);
  if (exact !== undefined) return exact.approvalId;
  // Whoever types the beginning of an id means one that waits.
  const limit = candidatesMax;
  const waiting = [
    ...gatekeeper.list({ ...waits, idPrefix: typed, limit }),
    ...gatekeeper
      .list({ ...waits, runIdPrefix: typed, limit })
      .filter(({ approvalId }) => !approvalId.startsWith(typed)),
  ];
  const found = waiting.length > 0 ? waiting : gatekeeper.list({ idPrefix: typed, limit });
  const [chosen, ...others] = found;
  if (chosen === undefined) throw notFound(gatekeeper, typed, stateDir);
  if (others.length === 0) return chosen.approvalId;
  const ids = found.map(({ approvalId }) => approvalId);
  throw new CliError('approval-ambiguous', `several approvals begin with "${typed}"`, {
    hint: `Say which: ${ids.join(', ')}`,
    detail: { typed },
  });
}

function notFound(gatekeeper: Lookup, typed: string, stateDir: string): CliError {
  const known = gatekeeper
    .list({ ...waits, limit: nearestMax })
    .map(({ approvalId }) => approvalId);
  const nearest =
    suggestNearest(typed, known) ??
    suggestNearest(typed, [...new Set(known.map((id) => id.slice(0, typed.length)))]);
  const message = `no approval is called "${makeVisible(typed)}" in ${stateDir}`;
  return new CliError('approval-not-found', message, {
    hint: nearest === undefined ? elsewhere : `Did you mean ${nearest}?`,
    detail: { typed, stateDir },
  });
}
