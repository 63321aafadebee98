/*
 * Limits that can be reached, by their codes, and what holds their places.
 */
export type HeldKind = 'sessions' | 'runs' | 'turns';

const kinds: Readonly<Record<string, HeldKind>> = {
  session_limit_reached: 'sessions',
  run_limit_reached: 'runs',
  journal_limit_reached: 'runs',
  host_full: 'runs',
  queue_full: 'turns',
  'agent-lane-full': 'turns',
  'account-lane-full': 'turns',
  'gateway-lane-full': 'turns',
  'low-memory': 'turns',
  queue_timeout: 'turns',
};

/* Undefined: it is the code of something else. */
export function heldBy(code: unknown): HeldKind | undefined {
  return typeof code === 'string' && Object.hasOwn(kinds, code) ? kinds[code] : undefined;
}
