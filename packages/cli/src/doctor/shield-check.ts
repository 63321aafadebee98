/*
 * How much of the shield around agents' commands this machine offers (docs/shield.md). Less than all of it breaks nothing: a person is
 * asked about everything.
 */
import type { ShieldSettings, ShieldState } from '@clawdfather/tools';
import type { Finding } from './finding.ts';

const check = 'shield';

export function checkShield(
  { level, missing }: ShieldState,
  { mode }: Pick<ShieldSettings, 'mode'>,
): Finding {
  if (level === 'full') {
    const summary =
      'full: what agents start sees none of our files, and no program outside can be reached by it';
    return { check, status: 'ok', summary };
  }
  const why = missing.join('; ');
  if (level === 'opened') return { check, status: 'info', summary: `full, but ${why}` };
  if (mode === 'off') {
    return {
      check,
      status: 'warn',
      summary: `none: ${why}; what agents start can read our secrets and decide for you`,
      advice: 'Set shield.mode to "on".',
    };
  }
  return {
    check,
    status: 'warn',
    summary: `${level}: ${why}; so ${mode === 'require' ? 'agents start nothing' : 'whatever agents want to start is asked about'}`,
    advice:
      'It needs Linux 6.12 or newer with Landlock, and user namespaces where we are not root. In a container: a seccomp profile that allows them.',
  };
}
