/*
 * Reads two pids from the /proc named by the first argument: the one given, and
 * one that cannot exist. Run as another user by the hidepid test.
 */
import { argv, stdout } from 'node:process';
import { createProcProcessTable } from '../../../src/evidence/process-table.ts';

const table = createProcProcessTable(argv[2]);
const beyondPidMax = 4_194_305;
stdout.write(JSON.stringify([table.read(Number(argv[3])), table.read(beyondPidMax)]));
