/*
 * Runs OpenSSH's client from a process that has nothing else: `node:child_process` forks, and a fork of a large process is slow. The
 * arguments of ssh are this program's own; each message asks for a turn, or for one command.
 */
import type { ClosedLoop } from '../../measure/closed-loop.ts';
import { timeOf, turnOf } from './contender.ts';
import { runSsh } from './run-ssh.ts';

const args = process.argv.slice(2);
const run = (): Promise<void> => runSsh(args);

process.on('message', (asked: ClosedLoop | 'once') => {
  const work = asked === 'once' ? timeOf(run) : turnOf(asked, run);
  work.then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
