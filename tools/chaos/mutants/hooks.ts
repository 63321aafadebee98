/*
 * Changes one module while it is loaded, as MUTANT says: `--import` of a test run that has to fail then.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { mutants } from './mutants.ts';

const mutant = mutants.find(({ name }) => name === process.env['MUTANT']);
if (mutant === undefined) throw new Error(`there is no mutant ${process.env['MUTANT']}`);

registerHooks({
  load: (url, context, nextLoad) => {
    if (!url.endsWith(mutant.file)) return nextLoad(url, context);
    const source = readFileSync(fileURLToPath(url), 'utf8');
    const changed = source.replace(mutant.from, mutant.to);
    if (changed === source) throw new Error(`${mutant.name}: ${mutant.file} has changed`);
    return { format: 'module-typescript', source: changed, shortCircuit: true };
  },
});
