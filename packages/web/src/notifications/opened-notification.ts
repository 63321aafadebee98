/*
 * Where a tap on a notification leads: told to the app by the worker, and left on the device as well, because a phone may start a killed
 * app at its first page instead of the address that it was given.
 */
export const openedNote = 'opened-notification';

/* A message of the worker's to the page. */
export interface OpenMessage {
  readonly kind: 'open-notification';
  readonly path: string;
}

/* Later than this, somebody has opened the app for something else. */
const freshMs = 60_000;
/* Where an installed app starts. */
const firstPages = ['/', '/inbox'];

export function isOpenMessage(data: unknown): data is OpenMessage {
  return isObject(data) && data['kind'] === 'open-notification' && isPath(data['path']);
}

/* Undefined: the app stays where it is. */
export function pathAtStart(
  note: unknown,
  at: { path: string; nowMs: number },
): string | undefined {
  if (!isObject(note) || !isPath(note['path']) || typeof note['atMs'] !== 'number')
    return undefined;
  const agoMs = at.nowMs - note['atMs'];
  if (agoMs < 0 || agoMs > freshMs || !firstPages.includes(at.path)) return undefined;
  return note['path'];
}

/* Of this app: `//host` would be another one. */
function isPath(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && !value.startsWith('//');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
