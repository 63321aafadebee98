/*
 * Whoever is inside a run may be an agent, and a sign-in is a person's: it could decide what agents ask for. So it is not made
 * from there, as approvals are not decided from there. (A process of the same user can do otherwise; docs/approvals.md says so.)
 */
import { readFileSync } from 'node:fs';
import { CliError } from '../errors.ts';

const shimNames = ['clf-shim', 'clf-spawnd', 'clawdfather-shi'];
/* Deeper than any tree of processes that people have. */
const depthMax = 256;

export function refuseInsideRun(pid: number): void {
  if (!isInsideRun(pid)) return;
  throw new CliError('sign-in-refused', 'this process is inside a run', {
    hint: 'Sign in from a terminal of your own, outside of any run.',
  });
}

export function isInsideRun(pid: number): boolean {
  let current = pid;
  for (let depth = 0; depth < depthMax && current > 1; depth += 1) {
    const found = readParent(current);
    if (found === undefined) return false;
    if (shimNames.includes(found.name)) return true;
    current = found.parentPid;
  }
  return false;
}

function readParent(
  pid: number,
): { readonly name: string; readonly parentPid: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? [];
    return { name, parentPid: Number(parent) };
  } catch {
    return undefined;
  }
}
