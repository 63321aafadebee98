/*
 * A database's file belongs to its owner alone. SQLite would give it the mode that the umask leaves; a file that is there
 * already keeps its own, and SQLite gives the same mode to the log and the index beside it.
 */
import { closeToOthers, makePrivateFile } from '@clawdfather/kit/files';

/* An earlier version may have left them open to others. */
const besideEndings = ['-wal', '-shm'];

export function makePrivateDatabaseFile(path: string): void {
  makePrivateFile(path);
  for (const ending of besideEndings) closeToOthers(path + ending);
}
