/*
 * What the custody of keys needs from outside. `store` implements the records, `gateway` what revoking needs.
 */

/* A key that is not stored yet. */
export interface NewKeypair {
  /* Made here, because the envelope is bound to it. */
  readonly id: string;
  readonly publicKey: string;
  /* The private half, sealed. */
  readonly privateEnc: string;
  readonly fingerprint: string;
}

/* The keys of one account. */
export interface KeyRecords {
  /* The envelope of a key that is not revoked. */
  sealedOf(id: string): Promise<string | undefined>;
  /* Another envelope in its place. Refused when the stored one is not `from`. */
  rewrap(input: {
    readonly id: string;
    readonly from: string;
    readonly to: string;
  }): Promise<'rewrapped' | 'not_found'>;
}

export type RevokeOutcome = 'revoked' | 'not_found' | 'active_sessions_exist';

/* Inside of one transaction. */
export interface RevocableKeys extends KeyRecords {
  /* Writes the audit entry too. Without force it is refused while a session uses the key. */
  revoke(id: string, isForced: boolean): Promise<RevokeOutcome>;
  /* Open sessions that use the key. */
  sessionsUsing(id: string): Promise<readonly string[]>;
  /* With `key_revoked`, as records: a gateway that dies right after the transaction leaves no open session on a dead key. */
  closeSessions(ids: readonly string[]): Promise<void>;
}

/* In the name of one caller. */
export interface KeyRevocation {
  /* All or nothing; the work may run more than once. */
  inTransaction<Value>(work: (keys: RevocableKeys) => Promise<Value>): Promise<Value>;
  /* Throws when something runs in one of them that the caller may not end. */
  checkMayClose(sessionIds: readonly string[]): void;
  /* Ends what the closed ones hold here. Whoever comes next does it, if this never happens. */
  endClosed(): Promise<void>;
}
