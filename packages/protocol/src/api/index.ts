/*
 * The side door of protocol for the HTTP API: every endpoint there is, and the errors they can give. Safe in a browser.
 */
import { agentSessionsEndpoints } from './agent-sessions.ts';
import { agentsEndpoints } from './agents.ts';
import { approvalsEndpoints } from './approvals.ts';
import { approvalRulesEndpoints } from './approval-rules.ts';
import { artifactsEndpoints } from './artifacts.ts';
import { auditEndpoints } from './audit.ts';
import { authEndpoints } from './auth.ts';
import { connectionsEndpoints } from './connections.ts';
import { directoriesEndpoints } from './directories.ts';
import { eventsEndpoints, seenEndpoints } from './events.ts';
import { historyEndpoints } from './history.ts';
import { keysEndpoints } from './keys.ts';
import { loginCodesEndpoints } from './login-codes.ts';
import { inboxEndpoints, noticesEndpoints } from './notices.ts';
import { presenceEndpoints, pushEndpoints } from './push.ts';
import { queueEndpoints } from './queue.ts';
import { runsEndpoints } from './runs.ts';
import { sessionsEndpoints } from './sessions.ts';
import { settingsEndpoints } from './settings.ts';
import { asksEndpoints, threadsEndpoints, turnsEndpoints } from './threads.ts';
import { systemEndpoints } from './system.ts';
import { tokensEndpoints } from './tokens.ts';
import { uploadsEndpoints } from './uploads.ts';

export { agentMessageCharactersMax } from './agent-sessions.ts';
export { auditActions } from './audit.ts';
export { apiErrors, isApiErrorCode } from './api-errors.ts';
export type { ApiErrorCode } from './api-errors.ts';
export { apiErrorSchema } from './common.ts';
export {
  formatGatewayHeader,
  gatewayHeader,
  isAppTooOld,
  parseGatewayHeader,
} from './gateway-identity.ts';
export type { GatewayIdentity } from './gateway-identity.ts';
export { scopes } from './endpoint.ts';
export type {
  Access,
  AnswerOf,
  CallOf,
  Endpoint,
  EndpointGroup,
  EndpointLimit,
  LimitSetting,
  RequestOf,
  Scope,
} from './endpoint.ts';

export { socketCloseCodes, socketPaths } from './socket-names.ts';
export {
  runClientMessageSchema,
  runServerMessageSchema,
  serverMessageSchema,
  sessionClientMessageSchema,
  sessionServerMessageSchema,
  socketAuthSchema,
  socketMessageBytesMax,
} from './socket.ts';
export type {
  RunServerMessage,
  ServerMessage,
  SessionClientMessage,
  SessionServerMessage,
  SocketAuth,
  SocketClientMessage,
} from './socket.ts';

export { runEventSchemas } from './run-events.ts';
export type { RunEvent, RunEventName } from './run-events.ts';

/* In the order in which the documentation shows them. */
export const api = {
  auth: authEndpoints,
  loginCodes: loginCodesEndpoints,
  tokens: tokensEndpoints,
  keys: keysEndpoints,
  connections: connectionsEndpoints,
  sessions: sessionsEndpoints,
  directories: directoriesEndpoints,
  agents: agentsEndpoints,
  threads: threadsEndpoints,
  turns: turnsEndpoints,
  artifacts: artifactsEndpoints,
  uploads: uploadsEndpoints,
  history: historyEndpoints,
  queue: queueEndpoints,
  asks: asksEndpoints,
  agentSessions: agentSessionsEndpoints,
  runs: runsEndpoints,
  approvals: approvalsEndpoints,
  approvalRules: approvalRulesEndpoints,
  events: eventsEndpoints,
  seen: seenEndpoints,
  inbox: inboxEndpoints,
  notices: noticesEndpoints,
  push: pushEndpoints,
  presence: presenceEndpoints,
  settings: settingsEndpoints,
  audit: auditEndpoints,
  system: systemEndpoints,
} as const;

export type Api = typeof api;
