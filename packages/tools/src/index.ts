/*
 * The door of tools: commands for agents and people.
 */
export { type Allowlist, type AllowlistAnswer, createAllowlist } from './approvals/allowlist.ts';
export { canRunAnything } from './approvals/starter-programs.ts';
export { decideApproval } from './approvals/decide-approval.ts';
export { type RulesForEver, rulesForEver } from './approvals/rules-for-ever.ts';
export type { DecideDeps, DecisionInput, DecisionOutcome } from './approvals/decide-approval.ts';
export { revokeRule } from './approvals/revoke-rule.ts';
export type { RevokeOutcome } from './approvals/revoke-rule.ts';
export { whyMayNotDecide } from './approvals/who-decides.ts';
export { createCredentialRequests } from './approvals/credential-requests.ts';
export { askerOf, credentialOf } from './approvals/requester.ts';
export { isWithdrawn } from './approvals/withdrawn.ts';
export { commandText, cutText, parseCommand } from './approvals/shown-command.ts';
export { createGatekeeper } from './approvals/create-gatekeeper.ts';
export type { GatekeeperDeps } from './approvals/create-gatekeeper.ts';
export { createStarterReach } from './approvals/starter-reach.ts';
export { createShield } from './shield/create-shield.ts';
export type { Shield, ShieldPlaces } from './shield/create-shield.ts';
export { seenByStored } from './shield/seen-by-request.ts';
export { shieldInput } from './shield/shield-input.ts';
export { agentKeyPath, agentKeysDir, agentKeyVariable } from './tool-server/agent-key-file.ts';
export { createToolServers } from './tool-server/tool-servers.ts';
export type { ToolServerLaunch, ToolServers } from './tool-server/tool-servers.ts';
export { formatShield, type ShieldState, shieldStateOf } from './shield/shield-level.ts';
export { attachmentsDirOf } from './shield/shield-places.ts';
export { shieldDoors, shieldModes, type ShieldSettings } from './shield/shield-settings.ts';
export type { StarterReach, StarterReachDeps } from './approvals/starter-reach.ts';
export { agentPolicy, decidePolicy, personPolicy } from './approvals/decide-policy.ts';
export type { Policy, PolicyAnswer, StricterWish } from './approvals/decide-policy.ts';
export { requesterMarksOf } from './approvals/requester.ts';
export type { RequesterMark } from './approvals/requester.ts';
export { createAccountRoom, tokenShareOf } from './exec/account-room.ts';
export type { AccountRoom, RunBounds } from './exec/account-room.ts';
export { nameTaken } from './exec/name-taken.ts';
export { checkEnvAdditions } from './environment/check-additions.ts';
export type { EnvRefusal } from './environment/check-additions.ts';
export type {
  ApprovalRecord,
  ApprovalSummary,
  Gatekeeper,
  HeldFilter,
  HeldPage,
  ProposedAction,
  Proposal,
  Verdict,
} from './approvals/gatekeeper.ts';
export type { LetIn, ToolCall, ToolsDeps, UnaskedStart } from './context.ts';
export { ToolsError, toolsErrorCodes } from './errors.ts';
export type { ToolsErrorCode } from './errors.ts';
export { ownUserOnly } from './host/local-users.ts';
export type { LocalUsers } from './host/local-users.ts';
export { bytesOf } from './keys/bytes-of.ts';
export { encodeKeys } from './keys/encode-keys.ts';
export type { EncodedKeys, KeyInput, KeyModes, KeyProblem } from './keys/encode-keys.ts';
export { encodePaste } from './keys/paste.ts';
export type { PasteOptions } from './keys/paste.ts';
export { createCappedText } from './output/capped-text.ts';
export type { CappedResult, CappedText } from './output/capped-text.ts';
export { createTextCleaner } from './output/clean-text.ts';
export type { TextCleaner } from './output/clean-text.ts';
export { createLinePager, readPage } from './output/line-pager.ts';
export type { LinePage, LinePager, PageRequest, Reading } from './output/line-pager.ts';
export { makeVisible } from '@clawdfather/kit';
export { summaryOf, summaryOfHeld } from './process/list.ts';
export { createTakeOver } from './process/take-over.ts';
export type { TakeOver } from './process/take-over.ts';
export type { RunEnd } from './process/wait-for-end.ts';
export { openScreenFollower } from './terminal/follow-screen.ts';
export type { ScreenFollower, ScreenLook } from './terminal/follow-screen.ts';
export { createModeTracker } from './terminal/mode-tracker.ts';
export type { ModeTracker } from './terminal/mode-tracker.ts';
export { openQueryAnswerer } from './terminal/query-answerer.ts';
export type { QueryAnswerer, QueryAnswererOptions } from './terminal/query-answerer.ts';
export { openTerminalModel } from './terminal/terminal-model.ts';
export type {
  Screen,
  TerminalModel,
  TerminalModelOptions,
  TerminalModes,
} from './terminal/terminal-model.ts';
export type { TerminalSize } from './terminal/terminal-size.ts';
export { createGate, openTools } from './open-tools.ts';
export type { Gate, GateOptions, OpenedTools, OpenToolsOptions } from './open-tools.ts';
export { dispatch } from './run-actions.ts';
export type { RunActions } from './run-actions.ts';
export { createTools } from './tools.ts';
export type { Tools } from './tools.ts';
