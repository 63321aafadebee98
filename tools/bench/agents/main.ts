/*
 * `npm run bench:agents -- [--quick] [--only delta|rate|adopt|cost|queue]… [--json FILE] [--dir DIRECTORY]`: turns of agents through a real gateway
 * on SQLite, beside the protocol's own client on the same agent's pipes, in one run on one machine, in turns.
 */
import { runBench } from '../run-bench.ts';
import { benchAdopt, benchCost, benchDelta, benchQueue, benchRate } from './scenarios.ts';

await runBench({
  prefix: 'clf-bagents-',
  scenarios: {
    delta: benchDelta,
    rate: benchRate,
    adopt: benchAdopt,
    cost: benchCost,
    queue: benchQueue,
  },
  open: ({ directory, options: { isQuick } }) => ({ directory, isQuick }),
});
