/*
 * The tables, as kysely is told about them. The migrations make them; a test compares the two.
 *
 * - Times are milliseconds since 1970 in an integer; PostgreSQL's bigint is parsed to a number.
 * - There are no booleans: a state is a word, and "was it, and when" is a time or NULL.
 * - Whatever belongs to an account has `account_id` first in its primary key, and refers to other rows by (account_id, id):
 *   a row of one account cannot point at a row of another, whatever a query does.
 */
import type { Generated } from 'kysely';
import type { CloseReason, SessionStatus } from '@clawdfather/sessions';
import type {
  AcpAsksTable,
  AcpCallsTable,
  AcpFramesTable,
  AgentChoicesTable,
  AgentKeysTable,
  AgentRunsTable,
  BlobsTable,
  ThreadsTable,
  TurnEventsTable,
  TurnsTable,
} from './agent-tables.ts';
import type { ArtifactsTable, ArtifactSyncsTable } from './artifact-tables.ts';
import type {
  AccountEventHeadsTable,
  AccountEventsTable,
  NoticeDeliveriesTable,
  NoticesTable,
} from './feed-tables.ts';
import type { Json, JsonText } from './json-text.ts';
import type { DevicePresenceTable, PushKeysTable, PushSubscriptionsTable } from './push-tables.ts';

export type JsonObject = { readonly [key: string]: Json | undefined };

export type KeypairStatus = 'active' | 'rotated' | 'revoked';
export type TokenScope = 'read' | 'run' | 'approve' | 'admin';

export interface AccountsTable {
  id: string;
  kind: 'owner' | 'member';
  display_name: string;
  email: string | null;
  avatar_url: string | null;
  created_at_ms: number;
  disabled_at_ms: number | null;
}

export interface OauthIdentitiesTable {
  provider: string;
  provider_user_id: string;
  account_id: string;
  login: string;
  email: string | null;
  created_at_ms: number;
  updated_at_ms: number;
}

export interface AppSessionsTable {
  account_id: string;
  id: string;
  token_hash: string;
  device: string;
  created_at_ms: number;
  last_used_at_ms: number;
  expires_at_ms: number;
  expires_at_ms_max: number;
  revoked_at_ms: number | null;
}

export interface ApiTokensTable {
  account_id: string;
  id: string;
  token_hash: string;
  label: string;
  scopes_json: JsonText<readonly TokenScope[]>;
  created_at_ms: number;
  last_used_at_ms: number | null;
  expires_at_ms: number;
  expires_at_ms_max: number;
  revoked_at_ms: number | null;
}

export interface OauthStatesTable {
  state_hash: string;
  provider: string;
  verifier: string;
  browser_hash: string;
  redirect_uri: string;
  created_at_ms: number;
  expires_at_ms: number;
}

export interface LoginLinksTable {
  link_hash: string;
  account_id: string;
  created_at_ms: number;
  expires_at_ms: number;
}

export interface LoginCodesTable {
  account_id: string;
  id: string;
  device_id: string;
  state: 'open' | 'claimed' | 'confirmed' | 'used' | 'refused';
  version: number;
  code_hash: string;
  link_hash: string;
  claim_hash: string | null;
  claim_device: string | null;
  claim_ip: string | null;
  made_device_id: string | null;
  created_at_ms: number;
  expires_at_ms: number;
}

export interface AgentKeypairsTable {
  account_id: string;
  id: string;
  label: string;
  public_key: string;
  private_enc: string;
  fingerprint: string;
  status: KeypairStatus;
  rotated_to_id: string | null;
  created_at_ms: number;
  ended_at_ms: number | null;
}

export interface SshConnectionsTable {
  account_id: string;
  id: string;
  label: string;
  host: string;
  port: number;
  username: string;
  keypair_id: string;
  pin_key: string | null;
  pin_fingerprint: string | null;
  pinned_at_ms: number | null;
  tested_at_ms: number | null;
  test_result: string | null;
  test_latency_ms: number | null;
  created_at_ms: number;
  updated_at_ms: number;
  deleted_at_ms: number | null;
  next_keypair_id: string | null;
  policy: 'ask' | 'full';
  test_cause: string | null;
}

export interface SessionLeasesTable {
  account_id: string;
  id: string;
  connection_id: string | null;
  agent: string;
  status: SessionStatus;
  epoch: number;
  owner_instance_id: string;
  owner_generation: number;
  owner_heartbeat_at_ms: number;
  client_heartbeat_at_ms: number;
  agent_session_id: string | null;
  error_code: string | null;
  error_message: string | null;
  close_reason: CloseReason | null;
  created_at_ms: number;
  started_at_ms: number | null;
  ended_at_ms: number | null;
}

export interface GatewayInstancesTable {
  id: string;
  generation: number;
  address: string | null;
  version: string;
  started_at_ms: number;
  heartbeat_at_ms: number;
  stopped_at_ms: number | null;
}

export interface IdempotencyKeysTable {
  account_id: string;
  key: string;
  request_hash: string;
  result_json: JsonText | null;
  created_at_ms: number;
  expires_at_ms: number;
}

export interface AuditLogTable {
  account_id: string;
  seq: number;
  action: string;
  actor: string;
  target: string | null;
  ip: string | null;
  trace_id: string | null;
  detail_json: JsonText<JsonObject> | null;
  at_ms: number;
}

export interface AuditHeadsTable {
  account_id: string;
  seq: number;
  kept_from_seq: Generated<number>;
}

export interface SettingsTable {
  account_id: string;
  idle_timeout_ms: number;
  notifications_json: JsonText<JsonObject>;
  updated_at_ms: number;
}

export interface RateLimitsTable {
  scope: string;
  subject: string;
  window_started_at_ms: number;
  window_ends_at_ms: number;
  hits: number;
  locked_until_ms: number | null;
}

export interface ControlMigrationsTable {
  version: number;
  name: string;
  hash: string;
  applied_at_ms: number;
}

export interface HealthBeatsTable {
  id: number;
  beats: number;
  at_ms: number;
}

export interface McpSessionsTable {
  account_id: string;
  id_hash: string;
  token_id: string;
  protocol_version: string;
  client_name: string;
  client_version: string;
  log_level: string | null;
  follows_json: JsonText<readonly string[]>;
  created_at_ms: number;
  expires_at_ms: number;
}

export interface MasterKeysTable {
  id: string;
  noted_at_ms: number;
}

export interface GatewayStartsTable {
  instance_id: string;
  generation: number;
  version: string;
  started_at_ms: number;
}

export interface Tables {
  accounts: AccountsTable;
  oauth_identities: OauthIdentitiesTable;
  app_sessions: AppSessionsTable;
  api_tokens: ApiTokensTable;
  oauth_states: OauthStatesTable;
  login_links: LoginLinksTable;
  login_codes: LoginCodesTable;
  agent_keypairs: AgentKeypairsTable;
  ssh_connections: SshConnectionsTable;
  session_leases: SessionLeasesTable;
  gateway_instances: GatewayInstancesTable;
  gateway_starts: GatewayStartsTable;
  threads: ThreadsTable;
  turns: TurnsTable;
  turn_events: TurnEventsTable;
  artifact_syncs: ArtifactSyncsTable;
  artifacts: ArtifactsTable;
  agent_runs: AgentRunsTable;
  agent_keys: AgentKeysTable;
  agent_choices: AgentChoicesTable;
  acp_frames: AcpFramesTable;
  acp_calls: AcpCallsTable;
  acp_asks: AcpAsksTable;
  blobs: BlobsTable;
  account_event_heads: AccountEventHeadsTable;
  account_events: AccountEventsTable;
  notices: NoticesTable;
  notice_deliveries: NoticeDeliveriesTable;
  push_keys: PushKeysTable;
  push_subscriptions: PushSubscriptionsTable;
  device_presence: DevicePresenceTable;
  idempotency_keys: IdempotencyKeysTable;
  audit_log: AuditLogTable;
  audit_heads: AuditHeadsTable;
  settings: SettingsTable;
  rate_limits: RateLimitsTable;
  control_migrations: ControlMigrationsTable;
  health_beats: HealthBeatsTable;
  mcp_sessions: McpSessionsTable;
  master_keys: MasterKeysTable;
}
