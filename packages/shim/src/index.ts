/*
 * The door of shim: the wire, the journal, and the clients of spawnd and shims.
 */
export { ShimError, shimErrorCodes, ShimRefusedError, ShimUnreachableError } from './errors.ts';
export type { ShimErrorCode, UnreachableReason } from './errors.ts';
export { comparePositions, formatCursor, journalStart } from './journal/cursor.ts';
export { parseCursor, positionAfter } from './journal/cursor.ts';
export type { FramePiece, JournalPosition } from './journal/cursor.ts';
export type { JournalFrame } from './journal/cut-frames.ts';
export type { FrameKind, OutputStream } from './journal/format.ts';
export { openJournalReader } from './journal/reader.ts';
export type { JournalRead, JournalReader, JournalReaderDeps } from './journal/reader.ts';
export { parseFrameRecord } from './journal/frame-record.ts';
export type { FrameRecord } from './journal/frame-record.ts';
export type { ClaimRecord, EndRecord, ExitRecord } from './journal/records.ts';
export type { ProcessRecord, StartRecord } from './journal/records.ts';
export { scanJournal } from './journal/scan.ts';
export type { JournalScan } from './journal/scan.ts';
export type { SegmentHeader } from './journal/segment-header.ts';
export type { Answer, EndAnswer, ExitAnswer, HelloAnswer, OkAnswer } from './wire/answers.ts';
export type { SpawndHelloAnswer } from './wire/answers.ts';
export { protocolVersion, terminationReasons } from './wire/constants.ts';
export type { JournalMode, LeftoversPolicy, OwnerLossPolicy } from './wire/constants.ts';
export type { RefusalName, ShimState, StdinKind } from './wire/constants.ts';
export type { TerminateReason, TerminationReason } from './wire/constants.ts';
export type { Command } from './wire/encode-command.ts';
export type { CgroupRequest, JournalRequest, OwnerIdentity } from './wire/spawn-request.ts';
export type { ResourceLimit, SpawnRequest, SpawnUser, TerminalSize } from './wire/spawn-request.ts';
