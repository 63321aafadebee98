/*
 * The test run itself. Files run two at a time: tests start real processes and
 * measure deadlines, and a small machine that runs more of them only adds noise.
 */
import { nodeStep, type Step } from './step.ts';

const concurrencyMax = 2;

/* One test may take this long; a hung one must end with its name, not with CI's patience. */
const testTimeoutMs = 600_000;

/* A file whose tests are over has to end, too. */
const endOfTests = new URL('end-of-tests.ts', import.meta.url).href;

const allTests = ['packages/*/test/**/*.test.ts', 'tools/*/test/**/*.test.ts'];

export function testStep(argv: readonly string[]): Step {
  const patterns = argv.filter((arg) => !arg.startsWith('--'));
  const flags = argv.filter((arg) => arg.startsWith('--'));
  return nodeStep('tests', [
    '--test',
    `--test-concurrency=${concurrencyMax}`,
    `--test-timeout=${testTimeoutMs}`,
    `--import=${endOfTests}`,
    ...flags,
    ...(patterns.length > 0 ? patterns : allTests),
  ]);
}
