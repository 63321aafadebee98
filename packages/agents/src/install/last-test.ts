/*
 * How the last `clf agents test` of an agent went: a small file for each beside the installed ones. What it says holds for one command,
 * named by its hash; it has no output of the agent in it.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@clawdfather/kit';
import type { ProbeOutcome } from '../probe/probe-result.ts';
import { openAgentsDir } from './agents-dir.ts';

export interface LastTest {
  readonly commandHash: string;
  readonly outcome: ProbeOutcome;
  readonly atMs: number;
}

/* No agent has this name with a version behind it, so nothing that is installed is called so. */
const folder = 'tests';

export function writeLastTest(
  { directory, random }: { readonly directory: string; readonly random: Random },
  name: string,
  test: LastTest,
): void {
  openAgentsDir(directory);
  mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 });
  const path = join(directory, folder, `${name}.json`);
  const draft = `${path}.${random.id()}`;
  writeFileSync(draft, `${JSON.stringify(test)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

/* Undefined: never tested, or the file is not as we write it, which the next test mends. */
export function readLastTest(directory: string, name: string): LastTest | undefined {
  try {
    const text = readFileSync(join(directory, folder, `${name}.json`), 'utf8');
    const { commandHash, outcome, atMs } = JSON.parse(text) as Partial<LastTest>;
    const isWhole = typeof commandHash === 'string' && typeof outcome === 'string';
    return isWhole && typeof atMs === 'number' ? { commandHash, outcome, atMs } : undefined;
  } catch {
    return undefined;
  }
}
