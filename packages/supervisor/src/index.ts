/*
 * The door of supervisor: runs that outlive their owner.
 */
export { SupervisorError, supervisorErrorCodes } from './errors.ts';
export type { SupervisorErrorCode } from './errors.ts';
export { silentObserver } from './events.ts';
export type { Count, SupervisorEvent, SupervisorObserver } from './events.ts';
export { usualRetention } from './limits.ts';
export { diskRefusalOf } from './registry/disk-refusal.ts';
export { rebuildRegistry } from './reconcile/rebuild.ts';
export type { RebuildDeps, RebuildReport } from './reconcile/rebuild.ts';
export { readLineage } from './evidence/lineage.ts';
export type { ProcessMark } from './evidence/lineage.ts';
export type { ProcessEvidence } from './evidence/process-evidence.ts';
export { createProcProcessTable } from './evidence/process-table.ts';
export type { ProcessTable } from './evidence/process-table.ts';
export type {
  ApprovalBody,
  ApprovalChange,
  ApprovalFilter,
  ApprovalMoment,
  ApprovalPage,
  ApprovalReads,
  ApprovalWrites,
  NewApproval,
  StoredApproval,
  StoredApprovalState,
} from './registry/approvals.ts';
export type { AllowRule, NewAllowRule, RulePage } from './registry/allow-rules.ts';
export { approvalBodyBytes } from './registry/approvals.ts';
export { openApprovals } from './registry/open-approvals.ts';
export type { ApprovalStore, ApprovalStoreDeps } from './registry/open-approvals.ts';
export type { OwnerRecord } from './registry/owners.ts';
export type { GarbageOptions, GarbageReport } from './retention/collect-garbage.ts';
export type { RetentionDecision, RetentionPolicy } from './retention/plan-retention.ts';
export type {
  FoundDirectory,
  HostCommand,
  HostPort,
  HostProgram,
  HostSpawn,
  HostStart,
  HostUser,
  PreparedStart,
  RemoteHosts,
} from './hosts/host-port.ts';
export { liveRunStates } from './run-states.ts';
export { compareCursors } from './run/output/compare-cursors.ts';
export { cursorInside } from './run/output/cursor-inside.ts';
export { openStateDir } from './registry/state-dir.ts';
export { outputStart } from './run/output/read-output.ts';
export type { Stall } from './run/output/stall.ts';
export type { RunUse } from './use/read-uses.ts';
export type { LastOutput, LastOutputStart } from './run/output/last-output.ts';
export type { Breathe, OutputTail } from './run/output/output-looks.ts';
export type { RunDetail } from './run/records/run-detail.ts';
export { explainStart } from './run/spawn/explain-start.ts';
export type { AskedProgram } from './run/spawn/explain-start.ts';
export { unclaimedStage } from './run/records/run-exit.ts';
export { createSupervisor } from './supervisor.ts';
export type { ExplainExit, SupervisorDeps } from './supervisor-deps.ts';
export {
  comparePackedShim,
  readConfinementSupport,
  shimBinaryPath,
  terminationReasons,
} from '@clawdfather/shim';
export type { ConfinementSupport, ShieldRequest, ShieldStep } from '@clawdfather/shim';
export type {
  ExitExplanation,
  KillCount,
  ProcessNote,
  ResourceUse,
  RunExit,
  StartFailure,
  TreeEnd,
} from './run-end.ts';
export type {
  ChildInput,
  JournalPolicy,
  LimitPair,
  OutputRate,
  PtyArgvInput,
  PtyInput,
  RunAs,
  RunLimits,
  SpawnInput,
} from './spawn-input.ts';
export type {
  AcceptedEvent,
  CancelReason,
  Confinement,
  Cursor,
  LeftoversPolicy,
  ManagedRun,
  OutputEvent,
  OwnerLossPolicy,
  ReconcileDecision,
  RunFilter,
  RunId,
  RunKind,
  RunRecord,
  RunState,
  SizeHold,
  Supervisor,
  TerminalRole,
  TerminalSize,
  TerminationReason,
  WriteOptions,
} from './types.ts';
