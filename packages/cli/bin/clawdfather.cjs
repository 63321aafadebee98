#!/usr/bin/env node
/*
 * Launcher of the `clawdfather` command.
 *
 * Stages:
 *   1. A Node older than 24.15 cannot run the sources. Hand over to the Node
 *      that `npm ci` put into this checkout: by execve where that exists, else
 *      as its transparent parent (signals go down, the exit status comes up).
 *   2. Where the shell before us found that the bundle is current
 *      (CLAWDFATHER_FROM=bundle), and in an installed package, run the bundle
 *      (`npm run bundle`), which starts much faster and needs nothing of
 *      node_modules.
 *   3. Else run the TypeScript source as it stands. The export condition is
 *      added by a resolve hook in this process, because NODE_OPTIONS would
 *      leak into every command that the user runs.
 *
 * Plain JavaScript on purpose: this file must parse and start on Node 18. It is
 * CommonJS like the bundle, because Node needs longer to load a module.
 * Importing main does the work; it reads process.argv from index 2.
 */
'use strict';

const {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
} = require('node:fs');
const nodeModule = require('node:module');
const { constants, homedir } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');
const { pathToFileURL } = require('node:url');

const sourceCondition = '@clawdfather/source';
const versionMin = [24, 15];

function isRecentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > versionMin[0] || (major === versionMin[0] && minor >= versionMin[1]);
}

function pathFromHere(relative) {
  return join(__dirname, relative);
}

function handOver(nodePath) {
  // Needed here alone, and slow to load.
  const { spawn } = require('node:child_process');
  const argv = [__filename, ...process.argv.slice(2)];
  if (typeof process.execve === 'function') {
    process.execve(nodePath, [nodePath, ...argv], process.env);
  }
  for (const name of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) {
    // A terminal sends these two to the whole group, so the child has its own
    // copy already; a second one could be read as "force".
    const isSentByTerminal = process.stdin.isTTY && (name === 'SIGINT' || name === 'SIGQUIT');
    process.on(name, () => {
      if (!isSentByTerminal) child.kill(name);
    });
  }
  // After the handlers: a signal that comes first would end us and leave the child behind.
  const child = spawn(nodePath, argv, { stdio: 'inherit' });
  child.on('error', (error) => fail(`cannot start ${nodePath}: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
  });
}

function fail(reason) {
  process.stderr.write(`clawdfather: ${reason}\n`);
  // As every other error of ours (docs/cli.md): never a code that a command could mean.
  process.exitCode = 125;
}

/*
 * Stripping types and compiling cost more than most commands; Node keeps the results in a directory, and runs what it finds
 * there. So it is used only if no other user can have put anything there: it is ours, others have never been able to enter it
 * (one that is open is not closed and used, because what is in it stays), and no other user can exchange it. Else we do
 * without; `clf doctor` says why. The name is not `compiled`, which earlier versions made as the umask said.
 */
function keepCompiled() {
  // Node makes directories of its own in it.
  const umask = process.umask(0o077);
  try {
    const own = process.env.XDG_CACHE_HOME ?? '';
    const base = isAbsolute(own) ? own : join(homedir(), '.cache');
    const directory = join(base, 'clawdfather', 'code');
    let there = directory;
    while (!existsSync(there)) there = dirname(there);
    // Nothing is left in a home that is not ours, as under sudo.
    if (there !== directory && !isTrusted(realpathSync.native(there))) return;
    if (there !== directory) mkdirSync(directory, { recursive: true });
    const place = realpathSync.native(directory);
    const { uid, mode } = lstatSync(place);
    if (uid !== process.geteuid() || (mode & 0o077) !== 0 || !isTrusted(place)) return;
    nodeModule.enableCompileCache?.(place);
  } catch {
    // A read-only home, say. Nothing depends on it.
  } finally {
    process.umask(umask);
  }
}

/*
 * The rule of @clawdfather/kit/files (trusted-path.ts), for a path without links. It is here in plain JavaScript because
 * reading TypeScript before the cache is there takes as long as a whole command.
 */
function isTrusted(path) {
  const us = process.geteuid();
  const trustedUids = [us, 0, statSync('/').uid];
  let isClosed = false;
  for (let end = path.indexOf('/', 1); ; end = path.indexOf('/', end + 1)) {
    const { uid, gid, mode } = lstatSync(end === -1 ? path : path.slice(0, end));
    if (!trustedUids.includes(uid)) return false;
    const isSticky = (mode & 0o1000) !== 0;
    const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isGroupOurs(gid));
    if (isOpen && !isSticky && !isClosed) return false;
    isClosed ||= uid === us && (mode & 0o011) === 0;
    if (end === -1) return true;
  }
}

/* Whether it is our primary group and has no other member. */
function isGroupOurs(gid) {
  if (gid !== process.getegid()) return false;
  const [users, groups] = ['/etc/passwd', '/etc/group'].map((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split(':')),
  );
  const us = users.filter((fields) => fields[2] === String(process.geteuid()));
  const primary = users.filter((fields) => fields[3] === String(gid));
  const group = groups.find((fields) => fields[2] === String(gid));
  const members = (group?.[3] ?? '').split(',').filter((name) => name !== '');
  const names = [...primary.map(([name]) => name), ...members];
  return group !== undefined && names.every((name) => us.some(([one]) => one === name));
}

/*
 * Some packages look for others that are not installed, and do without. Node would look for them in every directory above this one
 * and in ~/.node_modules, and run what anybody has put there. (The bundle asks for none.)
 */
function createOwnCheck() {
  const root = pathFromHere('../../..');
  const places = [root, join(root, 'node_modules')]
    .filter((path) => existsSync(path))
    .map((path) => `${pathToFileURL(realpathSync.native(path)).href}/`);
  return (url) => !url.startsWith('file:') || places.some((place) => url.startsWith(place));
}

function runHere() {
  keepCompiled();
  const isBundleAsked = process.env.CLAWDFATHER_FROM === 'bundle';
  // For us alone, not for the commands we start.
  delete process.env.CLAWDFATHER_FROM;
  const sourcePath = pathFromHere('../src/main.ts');
  if (!isBundleAsked && existsSync(sourcePath)) {
    const isOurs = createOwnCheck();
    nodeModule.registerHooks({
      resolve: (specifier, context, nextResolve) => {
        const found = nextResolve(specifier, {
          ...context,
          conditions: [...context.conditions, sourceCondition],
        });
        if (isOurs(found.url)) return found;
        throw Object.assign(new Error(`not of this checkout: ${specifier}`), {
          code: 'MODULE_NOT_FOUND',
        });
      },
    });
    void import(sourcePath);
    return;
  }
  const bundlePath = pathFromHere('../dist/bundle/main.cjs');
  if (existsSync(bundlePath)) require(bundlePath);
  else fail('packages/cli/dist/bundle is missing; make it with "npm run bundle"');
}

if (isRecentEnough(process.versions.node)) {
  runHere();
} else {
  // What lies there beside an installed package, which has no sources, belongs to another project.
  const isCheckout = existsSync(pathFromHere('../src'));
  const nodePath = ['../dist/node', '../../../node_modules/.bin/node']
    .map(pathFromHere)
    .find((path) => isCheckout && existsSync(path));
  if (nodePath !== undefined) {
    handOver(nodePath);
  } else {
    const cure = isCheckout ? 'run "npm ci" first' : 'put a newer one first on the PATH';
    fail(`needs Node ${versionMin.join('.')} or newer, this is ${process.versions.node}; ${cure}`);
  }
}
