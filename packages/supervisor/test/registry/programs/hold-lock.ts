/*
 * Takes the registry's write lock, says so, and stays in the transaction until it
 * is told to commit. The test stops it there.
 */
import { once } from 'node:events';
import { argv, stdin, stdout } from 'node:process';
import { DatabaseSync } from 'node:sqlite';

const db = new DatabaseSync(argv[2] ?? '');
db.exec('BEGIN IMMEDIATE');
stdout.write('locked\n');
await once(stdin, 'data');
stdin.destroy();
db.exec('COMMIT');
db.close();
stdout.write('done\n');
