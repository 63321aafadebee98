/*
 * `npm run check`: format, types, lint, house rules, unused code.
 */
import { checkSteps } from './check-steps.ts';
import { runSteps } from './step.ts';

runSteps(checkSteps);
