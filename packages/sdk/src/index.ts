/*
 * The door of sdk: a typed client of the gateway, for browsers and Node.
 */
export type { CallOptions, Connection, Fetch } from './call-endpoint.ts';
export { createClient } from './client.ts';
export type { Client, ClientOptions } from './client.ts';
export { followAccount } from './follow-account.ts';
export type {
  AccountEvent,
  AccountGap,
  AccountHappening,
  AccountToFollow,
} from './follow-account.ts';
export { followEvents } from './follow-events.ts';
export type { FollowInput, FollowOptions, LinkState, ServerEvent } from './follow-events.ts';
export { followRun } from './follow-run.ts';
export type { RunToFollow } from './follow-run.ts';
export { followThread } from './follow-thread.ts';
export type { ThreadEvent, ThreadToFollow } from './follow-thread.ts';
export type { GatewayRestart, GatewayWatch } from './gateway-watch.ts';
export { createOutbox } from './outbox/create-outbox.ts';
export type { Outbox, OutboxDeps } from './outbox/create-outbox.ts';
export { createMemoryOutboxStore } from './outbox/memory-outbox-store.ts';
export { nextOutboxRow } from './outbox/next-outbox-row.ts';
export type { Deferral, OutboxEvent, OutboxState } from './outbox/next-outbox-row.ts';
export type {
  NewOutboxRow,
  OutboxItem,
  OutboxRow,
  OutboxStore,
  OutboxThread,
} from './outbox/outbox-store.ts';
export { createOutboxWire } from './outbox/outbox-wire.ts';
export type { Attempt, OutboxWire } from './outbox/outbox-wire.ts';
export { openSession } from './session/open-session.ts';
export type {
  SessionHappening,
  SessionLine,
  SessionOptions,
  SessionToFollow,
} from './session/open-session.ts';
export type { SessionStatus } from './session/session-status.ts';
export { mayRetry, nextRecovery, recoveryBegins, recoveryCodes } from './recovery/next-recovery.ts';
export type {
  Recovery,
  RecoveryCode,
  RecoveryEvent,
  TurnFound,
} from './recovery/next-recovery.ts';
export { recoverTurn, turnFound } from './recovery/recover-turn.ts';
export type { RecoverOptions, RecoveryEnd, TurnToRecover } from './recovery/recover-turn.ts';
export { recoveryText } from './recovery/recovery-text.ts';
export { proveReceipt } from './prove-receipt.ts';
export type { ReceiptProof } from './prove-receipt.ts';
export { openTerminal } from './terminal/open-terminal.ts';
export type {
  RunToDrive,
  Terminal,
  TerminalOptions,
} from './terminal/open-terminal.ts';
export type { RunExit, TerminalEvent, TerminalSize } from './terminal/terminal-event.ts';
export type { OpenSocket, SocketEvent, WebSocketLike } from './link/web-socket-like.ts';
export { RefusedError, SdkError, sdkErrorCodes } from './errors.ts';
export { isWorthRetrying } from './is-worth-retrying.ts';
export type { Refusal, SdkErrorCode } from './errors.ts';
