/*
 * `npm run bundle`: the command line and the gateway as a few files, in packages/cli/dist/bundle.
 *
 * The sources are 900 modules with what they import. Finding, reading and linking them is most of what a start costs; joined, and
 * with Node's cache of compiled code, it is a fraction. What is published runs this; a checkout runs its sources, except for
 * `npm start`.
 *
 * Chunks are split along `import()`, so that a short command still loads only what it needs.
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const outdir = path('../../packages/cli/dist/bundle');

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: { main: path('../../packages/cli/src/main.ts') },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['@clawdfather/source'],
  // Errors are told apart by their class names in logs.
  keepNames: true,
  // What it offers to `require` hides its own files from whoever joins them; a bundle of it could read no config file.
  alias: { 'jsonc-parser': path('../../node_modules/jsonc-parser/lib/esm/main.js') },
  // Optional parts of `pg` that it looks for and does without.
  external: ['pg-native'],
  logLevel: 'warning',
  banner: {
    // CommonJS packages inside ask for Node's own modules this way.
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
});
