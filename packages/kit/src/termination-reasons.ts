/*
 * T3: why a run ended. One list of causes everywhere: in the shim's protocol, in records, tools, the API and metrics.
 *
 * The shim sends a cause as its place in this list, counted from 0. So a new cause is added at the end, and none is moved.
 */
export const terminationReasons = [
  'exit',
  'signal',
  'manual-cancel',
  'overall-timeout',
  'no-output-timeout',
  'spawn-error',
  'ownership-escape',
  'owner-lost',
  'out-of-memory',
  'host-rebooted',
  'container-restarted',
  'reconciled-stale',
  'unknown',
] as const;

export type TerminationReason = (typeof terminationReasons)[number];
