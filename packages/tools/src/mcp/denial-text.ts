/*
 * Why something never started, as a clause for an agent: by whom, and in whose words.
 */
import type { ExecResult } from '@clawdfather/protocol';

export type Denied = Extract<ExecResult, { readonly status: 'denied' }>;

export function formatDenial({ cause, by, rule, reason }: Denied): string {
  switch (cause) {
    case 'policy':
    case 'changed':
      return `denied by ${by}: ${rule}`;
    case 'person': {
      const said = reason === undefined ? '' : `: ${JSON.stringify(reason)}`;
      return `${whoOf(by)} denied it${said}`;
    }
    case 'withdrawn':
      return 'you took it back';
    case 'expired':
      return 'nobody decided in time';
  }
}

/* Of a person at a terminal the name is known; a device says that it was one. */
function whoOf(by: string): string {
  if (by.startsWith('cli:')) return `a person (${by.slice('cli:'.length)})`;
  return by.startsWith('device:') ? `a person (${by})` : by;
}
