/*
 * The door of sessions: what a session is, when it ends, and what is told of it.
 */
export { adoptOrphans } from './adopt-orphans.ts';
export { changeSession } from './change-session.ts';
export { closeIdle } from './close-idle.ts';
export { closeRevoked } from './close-revoked.ts';
export { closeSession } from './close-session.ts';
export type { SessionClose } from './close-session.ts';
export { decideOn } from './decide-on.ts';
export type { Asker, AuditedEvent, Decide, Decision, SessionAudit } from './decide-on.ts';
export { keepBusySessions } from './keep-busy-sessions.ts';
export { idleGraceMs, ownerStaleMs } from './limits.ts';
export { createNewsDesk } from './news.ts';
export type { EndedSession, NewsDesk, NewsListener, SessionNews } from './news.ts';
export { nextSession } from './next-session.ts';
export type { SessionEvent, SessionRefusal, SessionStep } from './next-session.ts';
export type {
  ChangeOutcome,
  DueSession,
  DueSessions,
  SessionDeps,
  SessionKeeper,
  SessionRecords,
  SessionRuns,
} from './ports.ts';
export type {
  CloseReason,
  Owner,
  SessionName,
  SessionRecord,
  SessionState,
  SessionStatus,
} from './session.ts';
