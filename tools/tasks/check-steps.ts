/*
 * What `npm run check` consists of, in order of how fast each step speaks up.
 */
import { nodeStep, type Step } from './step.ts';

export const checkSteps: readonly Step[] = [
  { name: 'format (biome)', command: 'biome', args: ['format', '.'] },
  { name: 'types (tsc)', command: 'tsc', args: ['-b'] },
  { name: 'lint (oxlint)', command: 'oxlint', args: ['--deny-warnings'] },
  nodeStep('tidy', ['--test', '--test-reporter=dot', 'tools/tidy/test/**/*.test.ts']),
  { name: 'knip', command: 'knip', args: ['--no-progress', '--no-config-hints'] },
];
