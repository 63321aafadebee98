/*
 * Writes that can be counted afterwards: each is an audit entry that holds a number. An account's entries are numbered without
 * gaps, so a lost or doubled one shows.
 */
import {
  type AccountQueries,
  type AuditRecord,
  parseAccountId,
  type Store,
} from '@clawdfather/store';

const action = 'numbered';

export const writeNumber = ({ auditLog }: AccountQueries, number: number): Promise<number> =>
  auditLog.record({ action, actor: 'test', detail: { number } });

export interface NumberedWrites {
  /** Of every entry of the account, oldest first. */
  readonly seqs: readonly number[];
  readonly numbers: readonly number[];
}

export async function readNumbers(store: Store, accountId: string): Promise<NumberedWrites> {
  const { auditLog } = store.forAccount(parseAccountId(accountId));
  const all: AuditRecord[] = [];
  let before: number | undefined;
  do {
    const page = await auditLog.list({ limit: 100, ...(before === undefined ? {} : { before }) });
    all.push(...page.entries);
    before = page.nextBefore;
  } while (before !== undefined);
  const entries = all.toReversed();
  return {
    seqs: entries.map(({ seq }) => seq),
    numbers: entries
      .filter((entry) => entry.action === action)
      .map(({ detail }) => Number(detail?.['number'])),
  };
}

export function isGapless(seqs: readonly number[]): boolean {
  return seqs.every((seq, index) => seq === index + 1);
}
