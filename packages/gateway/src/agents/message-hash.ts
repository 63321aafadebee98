/*
 * What tells one message from another that was sent under the same id: everything that its sender asked for. Fields that are left out and fields
 * that say the usual are the same, so it does not matter by which wire a message comes again.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@clawdfather/protocol/history';
import type { SaidPrompt } from './caller-threads.ts';

export function messageHashOf({
  blocks,
  loadClass,
  artifactDirs = [],
  priority = 0,
  notBeforeMs = null,
  chosen = {},
}: Omit<SaidPrompt, 'clientMessageId' | 'notBeforeMs'> & {
  readonly notBeforeMs?: number | null | undefined;
}): string {
  const asked = { blocks, loadClass, artifactDirs, priority, notBeforeMs, chosen };
  return createHash('sha256').update(canonicalJson(asked)).digest('hex');
}
