/*
 * Rule: nothing that a dependency brings runs while it is installed.
 *
 * npm 10 knows no list of allowed scripts and runs all of them, so there must be none to run: no entry of the project's
 * lockfile has an install script. npm runs only those that the lockfile announces, and a newer npm, told by `allowScripts` in
 * package.json that none is allowed, stops at one. The programs that tests fetch on demand are installed with
 * `--ignore-scripts`, and their lockfiles are not looked at.
 */
import { parseLockfile } from '../../tasks/lockfile.ts';
import type { Finding, Tree } from '../tree.ts';

const lockfilePath = 'package-lock.json';
const manifestPath = 'package.json';

export function checkInstallScripts(tree: Tree): readonly Finding[] {
  const { packages } = parseLockfile(tree.get(lockfilePath) ?? '{"packages":{}}');
  const manifest = JSON.parse(tree.get(manifestPath) ?? '{}') as {
    readonly allowScripts?: Readonly<Record<string, boolean>>;
  };
  const isListEmpty =
    manifest.allowScripts !== undefined && Object.keys(manifest.allowScripts).length === 0;
  return [
    ...Object.entries(packages)
      .filter(([, entry]) => entry['hasInstallScript'] === true)
      .map(([place]) => ({
        path: lockfilePath,
        message: `${place} has an install script, which npm 10 would run: do without the package`,
      })),
    ...(isListEmpty
      ? []
      : [{ path: manifestPath, message: 'allowScripts has to be there, and empty' }]),
  ];
}
