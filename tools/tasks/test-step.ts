/*
 * The test run itself. Files run three at a time: two leave a third of two cores idle, as tests wait for real processes and their deadlines, and
 * more only take turns.
 */
import { nodeStep, type Step } from './step.ts';

const concurrencyMax = 3;

/* One test may take this long; a hung one must end with its name, not with CI's patience. */
const testTimeoutMs = 600_000;

/* Compiles less, and ends a file whose tests are over. */
const loadedFirst = ['compiled-once.ts', 'end-of-tests.ts'].map(
  (name) => `--import=${new URL(name, import.meta.url).href}`,
);

const allTests = ['packages/*/test/**/*.test.ts', 'tools/*/test/**/*.test.ts'];

export function testStep(argv: readonly string[]): Step {
  const patterns = argv.filter((arg) => !arg.startsWith('--'));
  const flags = argv.filter((arg) => arg.startsWith('--'));
  return nodeStep('tests', [
    '--test',
    `--test-concurrency=${concurrencyMax}`,
    `--test-timeout=${testTimeoutMs}`,
    ...loadedFirst,
    ...flags,
    ...(patterns.length > 0 ? patterns : allTests),
  ]);
}
