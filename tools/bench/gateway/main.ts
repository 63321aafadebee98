/*
 * `npm run bench:gateway -- [--quick] [--only api|start|attach|fanout|accounts]… [--json FILE] [--dir DIRECTORY]`: the gateway beside the
 * least that could do the same, in one run on one machine, in turns.
 */
import { runBench } from '../run-bench.ts';
import { benchAccounts, benchApi, benchAttach, benchFanout, benchStart } from './scenarios.ts';

await runBench({
  prefix: 'clawdfather-bench-gateway-',
  scenarios: {
    api: benchApi,
    start: benchStart,
    attach: benchAttach,
    fanout: benchFanout,
    accounts: benchAccounts,
  },
  open: ({ directory, options }) => ({ directory, options, rounds: options.isQuick ? 2 : 7 }),
});
