/*
 * `npm run bench:web -- [--quick] [--only visit|thread|scroll|switch|stream|return|outbox|words]… [--json FILE] [--dir DIRECTORY]`: the app in Chromium
 * as on a mid-range phone, against a real gateway (throttle.ts says what is slowed).
 */
import { runBench } from '../run-bench.ts';
import {
  benchOutbox,
  benchReturn,
  benchScroll,
  benchStream,
  benchSwitch,
  benchThread,
  benchVisit,
  benchWords,
} from './scenarios.ts';
import { openWorld } from './world.ts';

await runBench({
  prefix: 'clf-bweb-',
  scenarios: {
    visit: benchVisit,
    thread: benchThread,
    scroll: benchScroll,
    switch: benchSwitch,
    stream: benchStream,
    return: benchReturn,
    outbox: benchOutbox,
    words: benchWords,
  },
  open: async ({ scope, options: { isQuick } }) => ({
    isQuick,
    world: scope.use(await openWorld(isQuick ? 300 : 10_000)),
  }),
});
