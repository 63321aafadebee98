/*
 * No exit lost: every run has one, told alike to all who asked and by the record, and it is the one that was planned.
 */
import type { RunExit, RunRecord } from '@clawdfather/supervisor';
import type { RunPlan } from '../plan/run-plan.ts';
import type { Violation } from './violation.ts';

const rule = 'no exit is lost';

export function checkExit(
  plan: RunPlan,
  record: RunRecord,
  told: readonly RunExit[],
): readonly Violation[] {
  const { runId } = plan;
  if (record.exit === undefined) return [{ rule, runId, what: `the record says ${record.state}` }];
  if (told.length === 0) return [{ rule, runId, what: 'nobody was told' }];
  const recorded = summaryOf(record.exit);
  const others = told.map(summaryOf).filter((summary) => summary !== recorded);
  if (others.length > 0) {
    return [{ rule, runId, what: `the record says ${recorded}, somebody was told ${others[0]}` }];
  }
  const wanted = plannedSummaries(plan);
  if (wanted.includes(recorded)) return [];
  return [{ rule, runId, what: `ended by ${recorded} instead of ${wanted.join(' or ')}` }];
}

function summaryOf({ reason, code, signal }: RunExit): string {
  return `${reason} (${signal ?? code ?? 'nothing'})`;
}

function plannedSummaries({ kind, writer }: RunPlan): readonly string[] {
  switch (kind) {
    case 'plain':
    case 'terminal':
      return [`exit (${writer.exitCode})`];
    case 'escapee':
      return [`ownership-escape (${writer.exitCode})`];
    case 'endless':
      return ['manual-cancel (SIGTERM)', 'manual-cancel (SIGKILL)'];
  }
}
