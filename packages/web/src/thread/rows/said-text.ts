/*
 * What a person has said, without the files that went along.
 */
import type { UserBlock } from '@clawdfather/protocol/history';
import { isFacts, textOf, wordOf } from '../facts.ts';
import type { Row } from './row.ts';

export function saidText({ content }: UserBlock): string {
  const said = content.filter((one) => fileNameOf(one).length === 0);
  return said.map(textOf).join('\n');
}

/* Of a file that went along; none of everything else. */
export function fileNameOf(content: unknown): readonly string[] {
  if (!isFacts(content) || content['type'] !== 'resource_link') return [];
  const name = wordOf(content['name']) ?? wordOf(content['uri']);
  return name === undefined ? [] : [name];
}

/* With which a turn began. Undefined: it is not here, or not whole. */
export function saidIn(rows: readonly Row[], turnId: string): string | undefined {
  const row = rows.find((one) => one.kind === 'said' && one.turnId === turnId);
  if (row?.kind !== 'said' || row.block.cut.length > 0) return undefined;
  return saidText(row.block);
}
