/*
 * `npm run bundle`: the command line and the gateway as a few files, in packages/cli/dist/bundle.
 *
 * The sources are 900 modules with what they import. Finding, reading and linking them is most of what a start costs; joined, and
 * with Node's cache of compiled code, it is a fraction. What is published runs this; a checkout runs its sources, except for
 * `npm start`.
 *
 * Chunks are split along `import()`, so that a short command still loads only what it needs.
 *
 * esbuild is called as the program it is. Its package `esbuild` wraps that program in an interface for Node and has an install
 * script; the package of the program alone has none.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const outdir = path('../../packages/cli/dist/bundle');

rmSync(outdir, { recursive: true, force: true });
const { status, error } = spawnSync(
  findProgram(),
  [
    `main=${path('../../packages/cli/src/main.ts')}`,
    `--outdir=${outdir}`,
    '--bundle',
    '--splitting',
    '--platform=node',
    '--format=esm',
    '--target=node24',
    '--conditions=@clawdfather/source',
    // Errors are told apart by their class names in logs.
    '--keep-names',
    // What it offers to `require` hides its own files from whoever joins them; a bundle of it could read no config file.
    `--alias:jsonc-parser=${path('../../node_modules/jsonc-parser/lib/esm/main.js')}`,
    // Optional parts of `pg` that it looks for and does without.
    '--external:pg-native',
    '--log-level=warning',
    // CommonJS packages inside ask for Node's own modules this way.
    "--banner:js=import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  ],
  { stdio: 'inherit' },
);
if (error !== undefined) throw error;
process.exitCode = status ?? 1;

function findProgram(): string {
  const name = `@esbuild/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/esbuild`);
  } catch (cause) {
    throw new Error(`${name} is not installed: npm ci brings it on Linux, for x64 and arm64`, {
      cause,
    });
  }
}
