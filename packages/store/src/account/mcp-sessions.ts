/*
 * MCP sessions, known by the SHA-256 of their id: what a gateway needs to go on with a session that another one began.
 *
 * Every query names the token as well. A session of another token is answered like one that does not exist. Nothing here is
 * audited: a session gives no rights, its token does.
 */
import type { AccountContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { mcpSessionMs, mcpSessionsMax } from '../limits.ts';
import { checkText, formatJson } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord } from '../schema/record.ts';
import type { McpSessionsTable } from '../schema/tables.ts';

export type McpSession = RecordOf<McpSessionsTable>;

export interface McpSessionName {
  readonly idHash: string;
  readonly tokenId: string;
}

export interface NewMcpSession extends McpSessionName {
  readonly protocolVersion: string;
  readonly clientName: string;
  readonly clientVersion: string;
}

export interface McpSessionChange {
  readonly logLevel?: string;
  /** The runs whose end it is still to be told. */
  readonly follows?: readonly string[];
}

export interface McpSessions {
  /** The oldest go when the account has too many. */
  create(session: NewMcpSession): Promise<void>;
  find(name: McpSessionName): Promise<McpSession | undefined>;
  /** It was used; the rest only if it is named. */
  use(name: McpSessionName, change?: McpSessionChange): Promise<'used' | 'not_found'>;
  end(name: McpSessionName): Promise<'ended' | 'not_found'>;
}

/** More than are ever too many, unless the limit was lowered. */
const prunedAtOnce = 100;

export function createMcpSessions({ runner, accountId, clock }: AccountContext): McpSessions {
  return {
    create: ({ idHash, tokenId, protocolVersion, clientName, clientVersion }) =>
      runner.write(async (db) => {
        const nowMs = clock.wallMs();
        await db
          .insertInto('mcp_sessions')
          .values({
            account_id: accountId,
            id_hash: idHash,
            token_id: tokenId,
            protocol_version: checkText('protocolVersion', protocolVersion),
            client_name: checkText('clientName', clientName),
            client_version: checkText('clientVersion', clientVersion),
            log_level: null,
            follows_json: formatJson([]),
            created_at_ms: nowMs,
            expires_at_ms: nowMs + mcpSessionMs,
          })
          .execute();
        await prune(db, accountId);
      }),
    find: ({ idHash, tokenId }) =>
      runner.read(async (db) =>
        toOptionalRecord(
          await db
            .selectFrom('mcp_sessions')
            .selectAll()
            .where('account_id', '=', accountId)
            .where('id_hash', '=', idHash)
            .where('token_id', '=', tokenId)
            .where('expires_at_ms', '>', clock.wallMs())
            .executeTakeFirst(),
        ),
      ),
    use: ({ idHash, tokenId }, { logLevel, follows } = {}) =>
      runner.write(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('mcp_sessions')
          .set({
            expires_at_ms: clock.wallMs() + mcpSessionMs,
            ...(logLevel === undefined ? {} : { log_level: checkText('logLevel', logLevel) }),
            ...(follows === undefined ? {} : { follows_json: formatJson(follows) }),
          })
          .where('account_id', '=', accountId)
          .where('id_hash', '=', idHash)
          .where('token_id', '=', tokenId)
          .executeTakeFirst();
        return numUpdatedRows > 0n ? 'used' : 'not_found';
      }),
    end: ({ idHash, tokenId }) =>
      runner.write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom('mcp_sessions')
          .where('account_id', '=', accountId)
          .where('id_hash', '=', idHash)
          .where('token_id', '=', tokenId)
          .executeTakeFirst();
        return numDeletedRows > 0n ? 'ended' : 'not_found';
      }),
  };
}

async function prune(db: Database, accountId: string): Promise<void> {
  await db
    .deleteFrom('mcp_sessions')
    .where('account_id', '=', accountId)
    .where('id_hash', 'in', (query) =>
      query
        .selectFrom('mcp_sessions')
        .select('id_hash')
        .where('account_id', '=', accountId)
        .orderBy('expires_at_ms', 'desc')
        .limit(prunedAtOnce)
        .offset(mcpSessionsMax),
    )
    .execute();
}
