/*
 * `npm test`: everything that must pass.
 *
 * Stages: build the shim, run the checks, join the bundle, build the app, get the programs that tests drive, run every test. The tests come last,
 * so that the output ends in the test runner's own summary.
 */
import { existsSync } from 'node:fs';
import { checkSteps } from './check-steps.ts';
import { nodeStep, runSteps, sourceConditionFlag } from './step.ts';
import { testStep } from './test-step.ts';

const shimBuildPath = 'packages/shim/build/build.ts';

const buildSteps = existsSync(shimBuildPath)
  ? [nodeStep('build the shim', [sourceConditionFlag, shimBuildPath])]
  : [];

// Tests that start the command start what users run; it also starts in half the time.
process.env['CLAWDFATHER_FROM'] = 'bundle';

runSteps([
  ...buildSteps,
  ...checkSteps,
  nodeStep('join the bundle', [sourceConditionFlag, 'tools/tasks/bundle.ts']),
  nodeStep('build the app', [sourceConditionFlag, 'packages/web/build/build.ts']),
  nodeStep('programs for tests', ['tools/tasks/test-programs.ts']),
  testStep(process.argv.slice(2)),
]);
