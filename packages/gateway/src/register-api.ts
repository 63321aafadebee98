/*
 * Every endpoint with its handler. The type has a member per group of the table, so a group without handlers does not compile.
 */
import { type Api, api } from '@clawdfather/protocol/api';
import type { FastifyInstance } from 'fastify';
import { registerRpc } from './acp/register-rpc.ts';
import { rpcDepsOf } from './acp/rpc-deps.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createSystemHandlers } from './health/system-handlers.ts';
import type { Handlers } from './http/handlers.ts';
import { registerEndpoints } from './http/register-endpoints.ts';
import { registerMcp } from './mcp/register-mcp.ts';
import { registerOpenApi } from './openapi/register-openapi.ts';
import { createAgentSessionsHandlers } from './routes/agent-sessions.ts';
import { createApprovalRulesHandlers } from './routes/approval-rules.ts';
import { createApprovalsHandlers } from './routes/approvals.ts';
import { createArtifactsHandlers } from './routes/artifacts.ts';
import { createAuditHandlers } from './routes/audit.ts';
import { createAuthHandlers } from './routes/auth.ts';
import { createConnectionsHandlers } from './routes/connections.ts';
import { createDirectoriesHandlers } from './routes/directories.ts';
import { createEventsHandlers, createSeenHandlers } from './routes/events.ts';
import { createInboxHandlers } from './routes/inbox.ts';
import { createHistoryHandlers } from './routes/history.ts';
import { createKeysHandlers } from './routes/keys.ts';
import { createLoginCodesHandlers } from './routes/login-codes.ts';
import { createNoticesHandlers } from './routes/notices.ts';
import { createPresenceHandlers, createPushHandlers } from './routes/push.ts';
import { createQueueHandlers } from './routes/queue.ts';
import { createRunsHandlers } from './routes/runs.ts';
import { createSessionsHandlers } from './routes/sessions.ts';
import { createSettingsHandlers } from './routes/settings.ts';
import {
  createAgentsHandlers,
  createAsksHandlers,
  createThreadsHandlers,
  createTurnsHandlers,
} from './routes/threads.ts';
import { createTokensHandlers } from './routes/tokens.ts';
import { createUploadsHandlers } from './routes/uploads.ts';

type ApiHandlers = { readonly [Name in keyof Api]: Handlers<Api[Name]> };

export function registerApi(server: FastifyInstance, parts: GatewayParts): void {
  const handlers: ApiHandlers = {
    auth: createAuthHandlers(parts),
    loginCodes: createLoginCodesHandlers(parts),
    tokens: createTokensHandlers(parts),
    keys: createKeysHandlers(parts),
    connections: createConnectionsHandlers(parts),
    sessions: createSessionsHandlers(parts),
    directories: createDirectoriesHandlers(parts),
    agents: createAgentsHandlers(parts),
    threads: createThreadsHandlers(parts),
    turns: createTurnsHandlers(parts),
    artifacts: createArtifactsHandlers(parts),
    uploads: createUploadsHandlers(parts.attachments),
    history: createHistoryHandlers(parts),
    queue: createQueueHandlers(parts),
    asks: createAsksHandlers(parts),
    agentSessions: createAgentSessionsHandlers(parts),
    runs: createRunsHandlers(parts),
    approvals: createApprovalsHandlers(parts),
    approvalRules: createApprovalRulesHandlers(parts),
    events: createEventsHandlers(parts),
    seen: createSeenHandlers(parts),
    inbox: createInboxHandlers(parts),
    notices: createNoticesHandlers(parts),
    push: createPushHandlers(parts),
    presence: createPresenceHandlers(parts),
    settings: createSettingsHandlers(parts),
    audit: createAuditHandlers(parts),
    system: createSystemHandlers(parts),
  };
  for (const [name, group] of Object.entries(api)) {
    registerEndpoints(server, parts, { group, handlers: handlers[name as keyof Api] });
  }
  registerMcp(server, parts);
  registerRpc(server, { ...rpcDepsOf(parts), ...parts });
  registerOpenApi(server, parts.config.version);
}
