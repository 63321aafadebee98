/*
 * Which mount a path lies on, from the text of /proc/self/mountinfo (proc(5)).
 */
import { readFileSync } from 'node:fs';

export interface Mount {
  readonly point: string;
  /** The device, or the name that was given instead of one. */
  readonly source: string;
  readonly type: string;
  readonly isReadOnly: boolean;
}

/** Without it a mount has no name. */
export function readMountinfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

/** The deepest mount point above the path; of several at one place the last, which covers the others. */
export function mountOf(mountinfo: string, path: string): Mount | undefined {
  let found: Mount | undefined;
  for (const line of mountinfo.split('\n')) {
    const mount = parseMount(line);
    if (mount === undefined || !isBelow(path, mount.point)) continue;
    if (found === undefined || mount.point.length >= found.point.length) found = mount;
  }
  return found;
}

/* Fields before the lone dash vary in number; after it come type, source and the file system's own options. */
function parseMount(line: string): Mount | undefined {
  const [mount = '', system = ''] = line.split(' - ');
  const [, , , , point, options = ''] = mount.split(' ');
  const [type, source, systemOptions = ''] = system.split(' ');
  if (point === undefined || type === undefined || source === undefined) return undefined;
  const isReadOnly = [options, systemOptions].some((text) => text.split(',').includes('ro'));
  return { point: unescape(point), source: unescape(source), type, isReadOnly };
}

function isBelow(path: string, point: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}

/* Spaces, tabs, newlines and backslashes are written in octal. */
function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
