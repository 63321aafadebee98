/*
 * Labels, twice: as JSON in the run's row, from which records are read, and as
 * rows of `run_labels`, by which they are filtered. Most runs have none and pay
 * for none.
 */
import type { Row, Statements } from '@clawdfather/sqlite';
import { number, optionalText, parseLabels, text } from './rows.ts';

export function insertLabels(
  { run }: Statements,
  runId: string,
  labels: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(labels)) {
    run('INSERT INTO run_labels (name, value, seq) SELECT ?, ?, seq FROM runs WHERE run_id = ?', [
      name,
      value,
      runId,
    ]);
  }
}

/** Takes a whole row of `runs`: its JSON names the label rows, so no index by run is needed. */
export function deleteRunRow({ run }: Statements, row: Row): void {
  const seq = number(row, 'seq');
  for (const [name, value] of Object.entries(parseLabels(optionalText(row, 'labels')))) {
    run('DELETE FROM run_labels WHERE name = ? AND value = ? AND seq = ?', [name, value, seq]);
  }
  run('DELETE FROM input_outbox WHERE run_id = ?', [text(row, 'run_id')]);
  run('DELETE FROM runs WHERE seq = ?', [seq]);
}
