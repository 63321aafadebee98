/*
 * `npm run test:mutants`: each mistake of mutants.ts in turn; the tests of turns have to fail with every one of them.
 */
import { spawnSync } from 'node:child_process';
import { mutants } from './mutants.ts';

const tests = ['asks', 'decide', 'turn'].map((part) => `packages/agents/test/${part}/*.test.ts`);
const sweeps = ['packages/threads/test/turn.test.ts'];
const hooks = './tools/chaos/mutants/hooks.ts';

function isCaught(name: string, files: readonly string[]): boolean {
  const flags = ['--conditions=@clawdfather/source', '--import', hooks, '--test'];
  const env = { ...process.env, MUTANT: name };
  // A turn that never ends is caught, too; the whole sweep takes a quarter of this.
  const done = spawnSync(process.execPath, [...flags, '--test-timeout=120000', ...files], { env });
  return done.status !== 0;
}

let missed = 0;
for (const { name } of mutants) {
  const by = isCaught(name, tests) ? 'decisions' : isCaught(name, sweeps) ? 'sweep' : undefined;
  if (by === undefined) missed += 1;
  process.stdout.write(`${by === undefined ? 'MISSED' : `caught by the ${by}`}: ${name}\n`);
}
process.stdout.write(`${mutants.length - missed} passed, ${missed} failed\n`);
process.exitCode = missed === 0 ? 0 : 1;
