/*
 * `npm run test:files -- PATTERN…`: only the given test files, without the
 * checks. Flags of `node --test` are passed through.
 */
import { testStep } from './test-step.ts';
import { runStep } from './step.ts';

runStep(testStep(process.argv.slice(2)));
