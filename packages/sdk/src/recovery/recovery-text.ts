/*
 * What people are told when a turn could not be followed to its end. One text for each code; which offer another attempt is in
 * `mayRetry`.
 */
import type { RecoveryCode } from './next-recovery.ts';

const texts: Readonly<Record<RecoveryCode, string>> = {
  ACP_UNREACHABLE: 'Unable to reconnect',
  ACP_UNRECOVERABLE: 'Unable to reconnect',
  ACP_SESSION_NOT_FOUND: 'Session expired',
  ACP_BRIDGE_RESTART: 'The gateway was restarted, and the agent was gone',
  OPENCLAW_RUN_DEADLINE_EXCEEDED: 'The agent took longer than it had',
};

export function recoveryText(code: RecoveryCode): string {
  return texts[code];
}
