/*
 * Prints what this process takes its host to be, and its boot clock.
 */
import { stdout } from 'node:process';
import { readHost } from '../../../src/evidence/host.ts';

const host = readHost();
stdout.write(`${JSON.stringify({ ...host, bootMs: host.bootMs() })}\n`);
