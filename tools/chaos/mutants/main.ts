/*
 * `npm run test:mutants`: each mistake of mutants.ts in turn; the tests of turns have to fail with every one of them.
 */
import { spawnSync } from 'node:child_process';
import { isStale } from './is-stale.ts';
import { mutants } from './mutants.ts';

const tests = ['asks', 'decide', 'turn'].map((part) => `packages/agents/test/${part}/*.test.ts`);
const sweeps = ['packages/threads/test/turn.test.ts'];
const hooks = './tools/chaos/mutants/hooks.ts';

function isCaught(name: string, files: readonly string[]): boolean {
  // In one process, so that one which hangs in its own clean-up can be ended.
  const alone = ['--test', '--test-isolation=none', '--test-timeout=120000'];
  const flags = ['--conditions=@clawdfather/source', '--import', hooks, ...alone];
  const env = { ...process.env, MUTANT: name };
  // A turn that never ends is caught, too; the whole sweep takes a quarter of this.
  const limit = { timeout: 150_000, killSignal: 'SIGKILL' } as const;
  const done = spawnSync(process.execPath, [...flags, ...files], { env, ...limit });
  return done.status !== 0;
}

let missed = 0;
for (const mutant of mutants) {
  const { name } = mutant;
  if (isStale(mutant)) {
    missed += 1;
    process.stdout.write(`STALE: ${name}\n`);
    continue;
  }
  const by = isCaught(name, tests) ? 'decisions' : isCaught(name, sweeps) ? 'sweep' : undefined;
  if (by === undefined) missed += 1;
  process.stdout.write(`${by === undefined ? 'MISSED' : `caught by the ${by}`}: ${name}\n`);
}
process.stdout.write(`${mutants.length - missed} passed, ${missed} failed\n`);
process.exitCode = missed === 0 ? 0 : 1;
