/*
 * Tells those who follow an account that it has new events, after they are stored. Whoever is told reads from the database by its own
 * position, so one who was told too late, or twice, misses and repeats nothing. What another process has added is not told here.
 *
 * A transaction notes whose events it adds. It may run more than once, and inside of another; so the telling is done by what commits.
 */
import type { AccountId } from '@clawdfather/kit';
import type { Database, Engine, Work } from '../../engine.ts';

export interface NewsDesk {
  /** Until the returned function is called. */
  follow(accountId: AccountId, listener: () => void): () => void;
  /** Of every account. */
  followAll(listener: (accountId: AccountId) => void): () => void;
}

const noted = new WeakMap<Database, Set<AccountId>>();

export function noteNews(transaction: Database, accountId: AccountId): void {
  const accounts = noted.get(transaction) ?? new Set();
  noted.set(transaction, accounts.add(accountId));
}

/** The same engine, whose writes are told of. */
export function withNewsDesk(engine: Engine): { readonly engine: Engine; readonly desk: NewsDesk } {
  const byAccount = new Map<AccountId, Set<() => void>>();
  const all = new Set<(accountId: AccountId) => void>();

  function announce(transaction: Database | undefined): void {
    const accounts = transaction === undefined ? undefined : noted.get(transaction);
    for (const accountId of accounts ?? []) {
      for (const listener of byAccount.get(accountId) ?? []) listener();
      for (const listener of all) listener(accountId);
    }
  }

  async function told<Value>(
    write: (work: Work<Value>) => Promise<Value>,
    work: Work<Value>,
  ): Promise<Value> {
    let last: Database | undefined;
    const value = await write((db) => {
      last = db;
      return work(db);
    });
    announce(last);
    return value;
  }

  return {
    engine: {
      ...engine,
      write: (work) => told((inner) => engine.write(inner), work),
      writeRepeatable: (work) => told((inner) => engine.writeRepeatable(inner), work),
    },
    desk: {
      follow: (accountId, listener) => {
        const listeners = byAccount.get(accountId) ?? new Set();
        byAccount.set(accountId, listeners.add(listener));
        return () => {
          listeners.delete(listener);
          if (listeners.size === 0) byAccount.delete(accountId);
        };
      },
      followAll: (listener) => {
        all.add(listener);
        return () => all.delete(listener);
      },
    },
  };
}
