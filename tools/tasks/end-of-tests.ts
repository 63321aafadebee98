/*
 * Loaded before every test file: ends a file whose tests are over while something keeps its process alive, and names what does.
 *
 * Node's own limit holds for tests, not for their file. A test that fails and leaves an agent, a socket or a timer behind keeps the process
 * of its file alive for ever, and a red run would end with the patience of CI, without a word. `--test-force-exit` would end it at once, and
 * with it the proof that a passing test has left nothing behind; here that is a failure with a reason.
 */
import { afterEach, beforeEach } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/* No test has run for so long. Between two tests there is no more than the making of what they share. */
const restMsMax = Number(process.env['TEST_REST_MS'] ?? 120_000);

/* The runner sets the variable for the process of a file; the runner itself and its threads are no files. */
if (process.env['NODE_TEST_CONTEXT'] !== undefined && isMainThread) {
  watch();
  // The runner has read it by now. A program that a test starts with our flags would take itself for a file of tests, and report on its stdout.
  delete process.env['NODE_TEST_CONTEXT'];
}

function watch(): void {
  // Of the tests that run. One that took too long has no `afterEach`, but its signal is aborted.
  const running = new Set<AbortSignal>();
  let lastAtMs = performance.now();
  beforeEach((context) => {
    if ('signal' in context) running.add(context.signal);
  });
  afterEach((context) => {
    if ('signal' in context) running.delete(context.signal);
    lastAtMs = performance.now();
  });
  setInterval(() => {
    if ([...running].some(({ aborted }) => !aborted)) lastAtMs = performance.now();
    if (performance.now() - lastAtMs < restMsMax) return;
    const kept = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(
      `\n${process.argv[1]}: no test has run for ${restMsMax / 1_000} s, and this keeps its process alive: ${kept}\n`,
    );
    process.exit(1);
  }, restMsMax / 4).unref();
}
