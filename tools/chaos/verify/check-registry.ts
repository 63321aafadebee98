/*
 * The registry is an index of the run directories: the same runs, the same ends, whole journals.
 */
import { join } from 'node:path';
import { scanJournal } from '@clawdfather/shim';
import type { RunRecord } from '@clawdfather/supervisor';
import { runDirectoriesIn } from '@clawdfather/testkit';
import { voidExitOf } from '../gateway/finish-run.ts';
import type { Violation } from './violation.ts';

const rule = 'the registry and the run directories say the same';

export function checkRegistry(
  stateDir: string,
  records: ReadonlyMap<string, RunRecord>,
): readonly Violation[] {
  const runsDir = join(stateDir, 'runs');
  const names = new Set(runDirectoriesIn(stateDir));
  const missing = [...records.values()]
    .filter((record) => voidExitOf(record) === undefined && !names.has(record.runId))
    .map(({ runId }) => ({ rule, runId, what: 'there is a record and no directory' }));
  const found = [...names].flatMap((name) => {
    const record = records.get(name);
    if (record === undefined)
      return [{ rule, runId: name, what: 'there is a directory and no record' }];
    return checkJournal(join(runsDir, name), record);
  });
  return [...missing, ...found];
}

function checkJournal(runDir: string, record: RunRecord): readonly Violation[] {
  const { runId, exit, treeEndedAtMs } = record;
  const { exit: journalled, end } = scanJournal(runDir);
  const wrong = (what: string): readonly Violation[] => [{ rule, runId, what }];
  if (journalled === undefined || end === undefined) return wrong('the journal has no end');
  if (!end.isFinal) return wrong('the journal says that something survived');
  if (treeEndedAtMs === undefined) return wrong('the record does not know that the tree is gone');
  if (journalled.code !== exit?.code || end.reason !== exit?.reason) {
    return wrong(
      `the journal says ${end.reason} (${journalled.code}), the record ${exit?.reason} (${exit?.code})`,
    );
  }
  return [];
}
