/*
 * The door of store: the control database, on SQLite or PostgreSQL.
 */
export type { GatewayStarts } from './system/instances.ts';
export type { AccountEvent, AccountEvents, EventsHead } from './account/feed/events.ts';
export type { Inbox, InboxSnapshot, OpenNotice, Working } from './account/feed/inbox.ts';
export type { AccountNews } from './account/feed/news.ts';
export type { Notice, NoticeDelivery, Notices, ToldNotice } from './account/feed/notices.ts';
export type { NewsDesk } from './account/feed/news-desk.ts';
export type { SeenMarkers } from './account/feed/seen.ts';
export type { AccountQueries, AccountStore } from './account/for-account.ts';
export type { ApiToken, ApiTokens, CreateTokenOutcome } from './account/api-tokens.ts';
export type { Artifacts, KeptArtifact } from './account/artifacts.ts';
export type { AuditLog, AuditPage, AuditRecord } from './account/audit-log.ts';
export type {
  Connection,
  ConnectionFields,
  Connections,
  CreateConnectionOutcome,
  HostPin,
  UpdateConnectionOutcome,
} from './account/connections.ts';
export type { Device, Devices } from './account/devices.ts';
export type {
  CreateKeypairOutcome,
  Keypair,
  Keypairs,
  RotateKeypairOutcome,
} from './account/keypairs.ts';
export type { LoginCodeChange, LoginCodeRecord, LoginCodes } from './account/login-codes.ts';
export type {
  McpSession,
  McpSessionChange,
  McpSessionName,
  McpSessions,
  NewMcpSession,
} from './account/mcp-sessions.ts';
export type { OnceOutcome } from './account/once.ts';
export type { Presence } from './account/presence.ts';
export type { Account, Profile } from './account/profile.ts';
export type { NewSubscription, PushSubscription, PushSubscriptions } from './account/push.ts';
export type { CreateSessionOutcome, Session, Sessions } from './account/sessions.ts';
export type { Settings, SettingsQueries } from './account/settings.ts';
export type { AuditEntry } from './audit.ts';
export type { AccountId, Listing, Page } from './context.ts';
export { StoreError, storeErrorCodes } from './errors.ts';
export type { StoreErrorCode } from './errors.ts';
export type { MigrationStatus } from './migrations/migrate.ts';
export type { QueryObservation, QueryObserver } from './observe.ts';
export { noticeClasses } from './schema/feed-tables.ts';
export type { NoticeClass } from './schema/feed-tables.ts';
export type { Json, JsonText } from './schema/json-text.ts';
export type { PushClasses } from './schema/push-tables.ts';
export type {
  JsonObject,
  KeypairStatus,
  TokenScope,
} from './schema/tables.ts';
export { backUp, checkBackup } from './sqlite/backup.ts';
export { openToRead } from './sqlite/open-to-read.ts';
export type { BackupReport } from './sqlite/backup.ts';
export { restoreBackup } from './sqlite/restore.ts';
export type { RestoreInput, RestoreReport } from './sqlite/restore.ts';
export { openStore, openStoreAsItIs } from './store.ts';
export type { Readiness, Store, StoreDeps, StoreLocation } from './store.ts';
export { parseAccountId } from './system/accounts.ts';
export type { Accounts, OauthProfile, SignInOutcome } from './system/accounts.ts';
export type { DueSync, SystemArtifacts } from './system/artifacts.ts';
export type { Cleanup, CleanupOptions } from './system/cleanup.ts';
export type { SystemQueries } from './system/for-system.ts';
export type { GatewayInstance, Instances } from './system/instances.ts';
export type { Leases } from './system/leases.ts';
export type { MasterKeyNotes } from './system/master-keys.ts';
export type { DeliveryEnd, NoticeQueue, Sender, TakenDelivery } from './system/notices.ts';
export type { PushDevice, PushKey, PushQueries, PushTarget } from './system/push.ts';
export type { RateLimit, RateLimitOutcome, RateLimits } from './system/rate-limits.ts';
export type { OauthState, SignIns } from './system/sign-in.ts';
export type { TokenHolder, Tokens } from './system/tokens.ts';
