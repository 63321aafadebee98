/*
 * The door of kit: what every other package is handed or throws.
 */
export type { AccountId } from './account-id.ts';
export { assertNever } from './assert-never.ts';
export type { Brand } from './brand.ts';
export { briefJson } from './brief-json.ts';
export type { BriefLimits } from './brief-json.ts';
export { createSystemClock, sleepWith } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
export { deferred } from './deferred.ts';
export type { Deferred } from './deferred.ts';
export { CodedError, errnoOf, hasCode, hasErrno } from './errors.ts';
export type { ErrorDetail, ErrorParts } from './errors.ts';
export { abortWith, onAbort, orAborted, unlessAborted, within } from './give-up.ts';
export type { Limit } from './give-up.ts';
export { createJsonLog, describeError, escapeUnprintable, silentLog } from './log.ts';
export type { JsonLogOptions, Log, LogFields, LogLevel } from './log.ts';
export { loginEnvironment } from './login-environment.ts';
export { makeRoom } from './make-room.ts';
export { backoffMs } from './backoff.ts';
export { createRandom, createSystemRandom, isId } from './random.ts';
export type { Random } from './random.ts';
export { createScope } from './scope.ts';
export type { Scope } from './scope.ts';
export { suggestNearest } from './suggest-nearest.ts';
export { terminationReasons } from './termination-reasons.ts';
export type { TerminationReason } from './termination-reasons.ts';
export { startTimeLimit } from './time-limit.ts';
export type { TimeLimit } from './time-limit.ts';
export { createSignalBell } from './signal-bell.ts';
export type { SignalBell } from './signal-bell.ts';
export { escapeCharacter, makeLinesVisible, makeVisible } from './visible-text.ts';
export { createWaiters } from './waiters.ts';
export type { Waiters } from './waiters.ts';
