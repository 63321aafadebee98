/*
 * What a decision came to, in the same words on this machine and at a gateway.
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { ApprovalRecord } from '@clawdfather/tools';
import type { Paint } from '../render/paint.ts';
import { formatCommandLines, formatEnd } from './approval-text.ts';

/* A program that runs unasked from now on; at a gateway the file behind its name is not told. */
export interface MadeRule {
  readonly namedPath: string;
  readonly realPath: string;
}

/* Who starts what was allowed: it has been, a gateway does, or a gateway will once there is one. */
export type Start = 'started' | 'gateway' | 'gateway-later';

const everything = '  it can run anything, so this allows everything\n';

/* Empty if nothing was allowed for ever. */
export async function formatMadeRules(
  { decision }: Pick<ApprovalRecord, 'decision'>,
  rules: readonly MadeRule[],
  paint: Paint,
): Promise<string> {
  if (decision !== 'allow-always') return '';
  if (rules.length === 0) return 'all its programs were allowed before: no rule was added\n';
  const { canRunAnything } = await import('@clawdfather/tools');
  const lines = rules.map(({ namedPath, realPath }) => {
    const file = namedPath === realPath ? '' : ` (the file ${makeVisible(realPath)})`;
    const rule = `from now on ${makeVisible(namedPath)}${file} runs unasked, whatever its arguments\n`;
    return canRunAnything({ namedPath, realPath }) ? `${rule}${paint.warn(everything)}` : rule;
  });
  return lines.join('');
}

export function formatAllowed({ runId, action }: ApprovalRecord, start: Start): string {
  const command = formatCommandLines(action.command).join('\n> ');
  return `${startWords[start]} ${runId}: ${command}\n`;
}

const startWords: Readonly<Record<Start, string>> = {
  started: 'started',
  gateway: 'the gateway starts',
  'gateway-later': 'allowed; it starts when the gateway runs again (clf serve), within 30m:',
};

export function formatDenied(record: ApprovalRecord): string {
  return `${record.approvalId} ${formatEnd(record) ?? 'denied'}\n`;
}
