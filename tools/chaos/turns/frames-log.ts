/*
 * A copy of every frame that was ever committed: the store forgets those that the agent has. A trigger of the database makes it, in the same
 * transaction, so it is there exactly if the frame was committed.
 */
import { DatabaseSync } from 'node:sqlite';

const statements = `
CREATE TABLE chaos_frames (number INTEGER PRIMARY KEY, run_id TEXT, input_offset INTEGER, text TEXT);
CREATE TRIGGER chaos_frames_added AFTER INSERT ON acp_frames BEGIN
  INSERT INTO chaos_frames (run_id, input_offset, text) VALUES (NEW.run_id, NEW.input_offset, NEW.text);
END;`;

export interface LoggedFrame {
  readonly inputOffset: number;
  readonly text: string;
}

export function beginFramesLog(database: string): void {
  using db = new DatabaseSync(database);
  db.exec(statements);
}

/* By run, in the order of the runs. */
export function readFramesLog(database: string): ReadonlyMap<string, readonly LoggedFrame[]> {
  using db = new DatabaseSync(database, { readOnly: true });
  const runs = new Map<string, LoggedFrame[]>();
  for (const row of db.prepare('SELECT * FROM chaos_frames ORDER BY number').iterate()) {
    const runId = String(row['run_id']);
    const frames = runs.get(runId) ?? [];
    frames.push({ inputOffset: Number(row['input_offset']), text: String(row['text']) });
    runs.set(runId, frames);
  }
  return runs;
}
