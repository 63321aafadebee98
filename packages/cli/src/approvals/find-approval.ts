/*
 * From what a person typed to the one approval that is meant: its id, its run's id, or a unique beginning of either.
 */
import { suggestNearest } from '@clawdfather/kit';
import type { ApprovalStore } from '@clawdfather/supervisor';
import { makeVisible } from '@clawdfather/tools/text';
import { CliError } from '../errors.ts';

/* As for runs: unique on one host, short enough to type. */
export const shortApprovalChars = 12;

/* Enough to show that there are several. */
const candidatesMax = 6;

/* The whole id. */
export function findApproval(
  store: Pick<ApprovalStore, 'approval' | 'approvals' | 'approvalOfRun'>,
  typed: string,
): string {
  const isId = /^[0-9a-z-]+$/.test(typed);
  const exact = isId ? (store.approval(typed) ?? store.approvalOfRun(typed)) : undefined;
  if (exact !== undefined) return exact.approvalId;
  const found = isId ? store.approvals({ idPrefix: typed, limit: candidatesMax }) : [];
  const ofRuns = isId
    ? store
        .approvals({ states: ['pending'] })
        .filter(({ runId, approvalId }) => runId.startsWith(typed) && !approvalId.startsWith(typed))
    : [];
  // Whoever types the beginning of an id means one that waits.
  const waiting = [...found.filter(({ state }) => state === 'pending'), ...ofRuns];
  const [chosen, ...others] = waiting.length > 0 ? waiting : found;
  if (chosen !== undefined && others.length === 0) return chosen.approvalId;
  if (chosen !== undefined) {
    const ids = [chosen, ...others].map(({ approvalId }) => approvalId);
    throw new CliError('approval-ambiguous', `several approvals begin with "${typed}"`, {
      hint: `Say which: ${ids.join(', ')}`,
      detail: { typed },
    });
  }
  throw notFound(store, typed);
}

function notFound(store: Pick<ApprovalStore, 'approvals'>, typed: string): CliError {
  const known = store.approvals({ states: ['pending'] }).map(({ approvalId }) => approvalId);
  const nearest =
    suggestNearest(typed, known) ??
    suggestNearest(typed, [...new Set(known.map((id) => id.slice(0, typed.length)))]);
  return new CliError('approval-not-found', `no approval is called "${makeVisible(typed)}"`, {
    hint: nearest === undefined ? 'See what waits: clf approvals' : `Did you mean ${nearest}?`,
    detail: { typed },
  });
}
