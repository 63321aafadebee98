/*
 * Loaded before every test file, and by gateways that tests start from source: what Node compiled once is not compiled again.
 *
 * Hundreds of files load the same hundreds of modules; without this about a tenth of the processor's time goes into that. It is set here and not in
 * the environment, so that the programs which tests start are as they are for users.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(
  fileURLToPath(new URL('../../node_modules/.cache/compiled-tests', import.meta.url)),
);
