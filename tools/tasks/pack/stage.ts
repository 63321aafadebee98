/*
 * The directory of the package that people install, filled from the checkout, with the layout of a checkout:
 *
 *   packages/cli/bin/           the launcher
 *   packages/cli/dist/bundle/   the command line and the gateway, joined
 *   packages/shim/dist/         the shims, with the list of their hashes
 *   packages/web/dist/          the web app
 *   docs/ …                     what people read
 *   package.json                made here: two commands, no dependencies, no scripts
 */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { joinModules } from '../join-modules.ts';
import { rootPath } from '../step.ts';
import { formatLicences } from './licences.ts';

export const packageArches: readonly string[] = ['x64', 'arm64'];

const launcher = 'packages/cli/bin/clawdfather';

const texts = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'ARCHITECTURE.md', 'docs'];

export async function fillStage(
  stage: string,
  arches: readonly string[],
): Promise<{ readonly version: string }> {
  const version = readVersion();
  const copy = (path: string): void => {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    cpSync(join(rootPath, path), join(stage, path), { recursive: true });
  };
  for (const text of texts) copy(text);
  for (const name of ['clawdfather', 'clawdfather.cjs']) copy(`packages/cli/bin/${name}`);
  copy('packages/web/dist');
  const inputs = await joinModules(rootPath, join(stage, 'packages/cli/dist/bundle'));
  write(join(stage, 'packages/cli/package.json'), json({ version, type: 'module' }));
  const ofOthers = inputs.map((path) => relative(rootPath, path));
  write(join(stage, 'THIRD-PARTY-LICENSES.txt'), formatLicences(ofOthers));
  writeShims(join(stage, 'packages/shim/dist'), arches);
  write(join(stage, 'package.json'), json(manifest(version, arches)));
  return { version };
}

function manifest(version: string, arches: readonly string[]) {
  return {
    name: 'clawdfather',
    version,
    description: 'Start coding agents and commands that outlive their owner.',
    license: 'MIT',
    type: 'module',
    engines: { node: '>=24.15' },
    os: ['linux'],
    cpu: arches,
    bin: { clawdfather: launcher, clf: launcher },
  };
}

function writeShims(folder: string, arches: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const shims = arches.map((arch) => {
    const file = `clawdfather-shim-linux-${arch}`;
    const path = join(folder, file);
    copyFileSync(join(rootPath, 'packages/shim/dist', file), path);
    chmodSync(path, 0o755);
    const bytes = readFileSync(path);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { arch, file, bytes: bytes.length, sha256 };
  });
  write(join(folder, 'shims.json'), json({ shims }));
}

function readVersion(): string {
  const text = readFileSync(join(rootPath, 'package.json'), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}

function write(path: string, text: string): void {
  writeFileSync(path, text);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
