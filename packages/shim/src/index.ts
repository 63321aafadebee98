/*
 * The door of shim: the wire, the journal, and the clients of spawnd and shims.
 */
export { ShimError, shimErrorCodes, ShimRefusedError, ShimUnreachableError } from './errors.ts';
export type { ShimErrorCode, UnreachableReason } from './errors.ts';
export { createChunkPool } from './journal/chunk-pool.ts';
export type { ChunkPool, ChunkPoolLimits } from './journal/chunk-pool.ts';
export { comparePositions, formatCursor, journalStart } from './journal/cursor.ts';
export { parseCursor, positionAfter } from './journal/cursor.ts';
export type { FramePiece, JournalPosition } from './journal/cursor.ts';
export type { JournalFrame } from './journal/cut-frames.ts';
export type { FrameKind, OutputStream } from './journal/format.ts';
export { findPositionNear, type FrameMarks } from './journal/position-near.ts';
export { openJournalReader } from './journal/reader.ts';
export type { JournalRead } from './journal/journal-read.ts';
export type { JournalReader, JournalReaderDeps } from './journal/reader.ts';
export { parseFrameRecord } from './journal/frame-record.ts';
export type { FrameRecord } from './journal/frame-record.ts';
export type { ClaimRecord, EndRecord, ExitRecord } from './journal/records.ts';
export type { ProcessRecord, StartRecord, UsageRecord } from './journal/records.ts';
export { lookForOutput, lookInSteps, noOutputLook } from './journal/last-output.ts';
export type { OutputLook } from './journal/last-output.ts';
export { tailRange } from './journal/output-tail.ts';
export { scanJournal } from './journal/scan.ts';
export type { JournalScan } from './journal/scan.ts';
export type { SegmentHeader } from './journal/segment-header.ts';
export type { Answer, DoorbellAnswer, EndAnswer, ExitAnswer } from './wire/answers.ts';
export type { HelloAnswer, OkAnswer } from './wire/answers.ts';
export type { SpawndHelloAnswer } from './wire/answers.ts';
export { protocolVersion, terminationReasons } from './wire/constants.ts';
export type { GrantAccess, JournalMode, LeftoversPolicy } from './wire/constants.ts';
export type { OwnerLossPolicy } from './wire/constants.ts';
export type { RefusalName, ShimState, StdinKind } from './wire/constants.ts';
export type { TerminateReason, TerminationReason } from './wire/constants.ts';
export type { Command } from './wire/encode-command.ts';
export type { CgroupRequest, Confinement, Grant } from './wire/spawn-request.ts';
export type { ShieldRequest, ShieldStep } from './wire/spawn-request.ts';
export type { JournalRequest, OwnerIdentity } from './wire/spawn-request.ts';
export type {
  DirectoryId,
  ResourceLimit,
  SpawnRequest,
  SpawnUser,
  TerminalSize,
} from './wire/spawn-request.ts';
export { shimBinaryPath } from './binary.ts';
export { holdBinary } from './held-binary.ts';
export type { HeldBinary } from './held-binary.ts';
export { comparePackedShim } from './packed-shims.ts';
export { shimVariants } from './binary-names.ts';
export type { ShimVariant } from './binary-names.ts';
export { readConfinementSupport } from './client/confinement-support.ts';
export type { ConfinementSupport } from './client/confinement-support.ts';
export { openControl } from './client/control.ts';
export type { ControlDeps, ControlLink, InputRequest } from './client/control.ts';
export { startShimDirect } from './client/direct.ts';
export type { DirectDeps, DirectLink } from './client/direct.ts';
export type { LostEvent, RunEvent } from './client/run-event.ts';
export { startSpawnd } from './client/spawnd.ts';
export type { SpawndDeps, SpawndLink } from './client/spawnd.ts';
