/*
 * `npm run pack [-- --arch=x64]`: the product as one file, dist/clawdfather-VERSION.tgz, which `npm install -g FILE` installs on any
 * Linux with a Node that is recent enough: no compiler, no registry.
 *
 * Stages: the shim for every kind of machine → the package's directory (pack/stage.ts) → the file. Packing the same twice gives
 * the same bytes: compilers and the bundler are deterministic, and npm writes one fixed time into every entry.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compilerFor, installPackages, isInstalled, mayInstall } from './debian-packages.ts';
import { fillStage, packageArches } from './pack/stage.ts';
import { nodeStep, rootPath, runStep, sourceConditionFlag } from './step.ts';

await main();

async function main(): Promise<void> {
  // The modes of files are part of the result.
  process.umask(0o022);
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', multiple: true },
      out: { type: 'string', default: join(rootPath, 'dist') },
    },
  });
  const wanted = values.arch ?? packageArches;
  const unknown = wanted.find((arch) => !packageArches.includes(arch));
  if (unknown !== undefined) {
    return fail(`--arch=${unknown} is not known. Known are: ${packageArches.join(', ')}`);
  }
  const arches = packageArches.filter((arch) => wanted.includes(arch));
  if (!arches.every(buildShim)) return;
  const draft = mkdtempSync(join(tmpdir(), 'clf-pack-'));
  try {
    const stage = join(draft, 'package');
    const { version } = await fillStage(stage, arches);
    const isWhole = arches.length === packageArches.length;
    const suffix = isWhole ? '' : `-linux-${arches.join('-')}`;
    mkdirSync(values.out, { recursive: true });
    const path = resolve(values.out, `clawdfather-${version}${suffix}.tgz`);
    makeTarball(stage, { draft, version, path });
    tell(path, isWhole ? undefined : arches);
  } finally {
    rmSync(draft, { recursive: true });
  }
}

/* False when it failed, which has been told. */
function buildShim(arch: string): boolean {
  const [command, debianPackage] = compilerFor(arch);
  if (!isInstalled(command) && mayInstall()) installPackages([debianPackage]);
  const build = 'packages/shim/build/build.ts';
  if (runStep(nodeStep(`the shim for ${arch}`, [sourceConditionFlag, build, `--arch=${arch}`]))) {
    return true;
  }
  // Without the usual compiler there is nothing to fall back on.
  if (arch === process.arch) return false;
  fail(`For a package that works on ${process.arch} only: npm run pack -- --arch=${process.arch}`);
  return false;
}

function makeTarball(
  stage: string,
  {
    draft,
    version,
    path,
  }: { readonly draft: string; readonly version: string; readonly path: string },
): void {
  const args = ['pack', stage, '--pack-destination', draft, '--offline', '--ignore-scripts'];
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8', cwd: draft });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}${stdout}`);
  const beside = `${path}.${process.pid}`;
  copyFileSync(join(draft, `clawdfather-${version}.tgz`), beside);
  renameSync(beside, path);
}

function tell(path: string, onlyFor: readonly string[] | undefined): void {
  const bytes = readFileSync(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  say(`\n${path}: ${(bytes.length / 1e6).toFixed(1)} MB, sha256 ${sha256}`);
  if (onlyFor !== undefined)
    say(`It works on ${onlyFor.join(', ')} only; npm refuses it elsewhere.`);
  say(`Install it: npm install -g ${path}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
