/*
 * Rule: a lockfile pins by hash and names no registry. There is one of the
 * project, and one per program that tests fetch on demand.
 *
 * Links to our own packages have a path instead. Stand-ins for other
 * platforms' packages, which a mirror may not have, carry no hash; they are
 * marked by their platform. None of them may be missing, or `npm ci` stops.
 */
import { parseLockfile, withMissingOptionals } from '../../tasks/lockfile.ts';
import type { Finding, Tree } from '../tree.ts';

const ofProject = 'package-lock.json';

export function checkLockfile(tree: Tree): readonly Finding[] {
  const paths = [...tree.keys()].filter((path) => path.endsWith(`/${ofProject}`));
  return [ofProject, ...paths].flatMap((path) => checkOne(path, tree.get(path)));
}

function checkOne(path: string, text: string | undefined): readonly Finding[] {
  if (text === undefined) return [{ path, message: 'is missing' }];
  const lockfile = parseLockfile(text);
  const findings: Finding[] = [];
  for (const [place, entry] of Object.entries(lockfile.packages)) {
    if (!place.includes('node_modules/')) continue;
    const resolved = entry['resolved'];
    const isLink = entry['link'] === true;
    if (typeof resolved === 'string' && (!isLink || resolved.includes(':'))) {
      findings.push({ path, message: `${place} names where it was fetched from` });
    }
    const isOtherPlatform = entry['optional'] === true && entry['cpu'] !== undefined;
    if (!isLink && !isOtherPlatform && typeof entry['integrity'] !== 'string') {
      findings.push({ path, message: `${place} has no hash` });
    }
  }
  const { added } = withMissingOptionals(lockfile);
  const hint = 'is left out: npm run lockfile';
  return [...findings, ...added.map((name) => ({ path, message: `${name} ${hint}` }))];
}
