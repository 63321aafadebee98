/*
 * The door of protocol: schemas of everything that crosses a wire. Safe in a browser.
 */
export { cliEventSchema, cliExitSchema, cliRunSchema } from './cli-json.ts';
export { cliShapeJsonSchema, cliShapes } from './cli-shapes.ts';
export type { CliShape } from './cli-shapes.ts';
export {
  approvalPendingSchema,
  completedSchema,
  deniedSchema,
  endReasonSchema,
  execFields,
  execParamsSchema,
  execResultSchema,
  failedSchema,
  failureKindSchema,
  leftoverSchema,
  leftoversSchema,
  runningSchema,
  truncatedSchema,
} from './exec.ts';
export type { EndReason, ExecParams, ExecResult } from './exec.ts';
export { approvalLifetimeMs, execLimits, outputCharactersMax, processLimits } from './limits.ts';
export {
  approvalDecisionSchema,
  approvalDecisions,
  approvalStateSchema,
  boundSchema,
  approvalStates,
  askLevels,
  askSchema,
  securityLevels,
  securitySchema,
} from './policy.ts';
export { optionOfDecision } from './option-of-decision.ts';
export type { OptionOfDecision } from './option-of-decision.ts';
export type { ApprovalDecision, ApprovalState, Ask, Bound, Security } from './policy.ts';
export {
  logResultSchema,
  pollResultSchema,
  processActions,
  processParamsSchema,
  processResultSchema,
  runSummarySchema,
  screenResultSchema,
  stillRunningSchema,
} from './process.ts';
export type {
  LogResult,
  PollResult,
  ProcessAction,
  ProcessParams,
  ProcessResult,
  RunSummary,
  PaintedScreenResult,
  ScreenResult,
} from './process.ts';
export {
  reservedLabels,
  runExtrasFields,
  runLabelsSchema,
  runLimitsSchema,
  runNameSchema,
} from './run-extras.ts';
export type { RunExtras } from './run-extras.ts';
export {
  forRunHeader,
  forRunVariable,
  shieldVariable,
  sshDirInside,
  toolsDirInside,
  toolsSocketName,
  toolsVariable,
} from './tool-socket.ts';
