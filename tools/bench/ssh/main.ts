/*
 * `npm run bench:ssh -- [--quick] [--only exec|start|cancel]… [--json FILE] [--dir DIRECTORY]`: commands on a host beside OpenSSH's
 * own client, on one real sshd on loopback, in one run on one machine, in turns.
 */
import { runBench } from '../run-bench.ts';
import { benchCancel, benchExec, benchStart } from './scenarios.ts';
import { openWorld } from './world.ts';

await runBench({
  prefix: 'clf-bssh-',
  scenarios: { exec: benchExec, start: benchStart, cancel: benchCancel },
  open: async ({ scope, directory, options: { isQuick } }) => ({
    isQuick,
    world: await openWorld(scope, directory),
  }),
});
