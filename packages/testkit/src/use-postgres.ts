/*
 * One PostgreSQL for all tests of a file: started before the first, gone after the last. Where it is not installed they skip,
 * and say so.
 */
import { after, before } from 'node:test';
import { findPostgres, openPostgresServer, type PostgresServer } from './postgres-server.ts';

export interface UsedPostgres {
  /** For the options of a test. */
  readonly skip: string | false;
  /** For tests that are not skipped, once they run. */
  readonly server: PostgresServer;
}

export function usePostgres(): UsedPostgres {
  const programs = findPostgres();
  let opened: PostgresServer | undefined;
  before(async () => {
    if (programs !== undefined) opened = await openPostgresServer(programs);
  });
  after(async () => {
    await opened?.[Symbol.asyncDispose]();
  });
  return {
    skip: programs === undefined ? 'PostgreSQL is not installed' : false,
    get server() {
      if (opened === undefined) throw new Error('no PostgreSQL: asked for outside of a test');
      return opened;
    },
  };
}
