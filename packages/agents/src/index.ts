/*
 * The door of agents: which agents there are and how they are installed; and how we talk to one that outlives us. Every change of a
 * thread is a pure decision here; the store commits it.
 */
export { missingReasons, usualArtifactDirs } from './artifacts/artifact-rows.ts';
export type {
  ArtifactNews,
  ArtifactRow,
  ArtifactsFound,
  ArtifactSyncRow,
  MissingArtifact,
  MissingReason,
} from './artifacts/artifact-rows.ts';
export { nextSync } from './artifacts/next-sync.ts';
export type { ArtifactOutcome, ArtifactSyncStatus } from './artifacts/next-sync.ts';
export { cautiousQuirks } from './catalogue/agent-entry.ts';
export type {
  AgentQuirks,
  CatalogueEntry,
  PinnedPackage,
  Platform,
  ProgramFile,
  SignIn,
  SignInFile,
} from './catalogue/agent-entry.ts';
export { builtInAgents } from './catalogue/built-in.ts';
export { handshakeQuirks } from './catalogue/handshake-quirks.ts';
export { createAgentList } from './catalogue/list-agents.ts';
export type { AgentList, AgentsHere, ListedAgent, NamedAgent } from './catalogue/list-agents.ts';
export { findEntry, unknownAgent } from './catalogue/find-entry.ts';
export { onceStart, onceStartOf } from './catalogue/once-start.ts';
export type { OnceCommand } from './catalogue/once-start.ts';
export { readPlatform } from './catalogue/platform.ts';
export { findChoice, harmlessCategories } from './choices/choice.ts';
export { lateMax, nextSetting } from './choices/next-setting.ts';
export type {
  LateCall,
  Setting,
  SettingCall,
  SettingEvent,
  TriedValue,
} from './choices/next-setting.ts';
export type { Choice, Chosen, ChoiceValue, CurrentChoice } from './choices/choice.ts';
export { isPicture, pictureBytesMax, withPicture } from './turn/pictures.ts';
export { resolveAgent, resolveOnHost } from './catalogue/resolve-agent.ts';
export type { AgentSettings, OnceAgent, ResolvedAgent } from './catalogue/resolve-agent.ts';
export { findSignIn } from './catalogue/signed-in.ts';
export type { SignedIn } from './catalogue/signed-in.ts';
export { agentsErrorCodes, AgentsError } from './errors.ts';
export type { AgentsErrorCode } from './errors.ts';
export type { FileProblem } from './install/file-list.ts';
export { findInstalled, findOlder, verifyInstalled } from './install/find-installed.ts';
export type { InstallPlace } from './install/find-installed.ts';
export { installAgent } from './install/install-agent.ts';
export type { InstallOptions, InstallProgress } from './install/install-agent.ts';
export type { InstalledAgent } from './install/installed-agent.ts';
export { writeLastTest } from './install/last-test.ts';
export type { LastTest } from './install/last-test.ts';
export { removeInstalled } from './install/remove-installed.ts';
export { beginRun, endRun, holdRun } from './decide/agent-run.ts';
export type { HeldRun, NewAgentRun, RunEnd } from './decide/agent-run.ts';
export {
  beginClosing,
  forgetNative,
  giveUpTurn,
  isGoodbye,
  noteNotEnded,
} from './decide/closing.ts';
export type { Close } from './decide/closing.ts';
export { giveUpSetting } from './decide/advance.ts';
export { chooseValues } from './decide/choosing.ts';
export type { Choosing } from './decide/choosing.ts';
export { answerAsk, answerAudit } from './decide/answer-ask.ts';
export type { AnswerRefusal, AnswerStep, AskReply, PermissionOption } from './decide/answer-ask.ts';
export { fileBytesMax, isChange } from './decide/effect-request.ts';
export { askFirst, finishEffect, judgeWrite, noteEffect } from './decide/effects.ts';
export type { EffectName, EffectOutcome } from './decide/effects.ts';
export { finishArtifacts } from './decide/artifacts.ts';
export { consume } from './decide/consume.ts';
export type { Batch, ConsumeStep } from './decide/consume.ts';
export type { AgentSetup } from './decide/handshake.ts';
export { onceOf } from './decide/once.ts';
export type { OnceSetup } from './decide/once.ts';
export { addText, noText, sealText } from './decide/message-text.ts';
export type { MessageText } from './decide/message-text.ts';
export { createReplay, LoadFinder } from './decide/replay.ts';
export { loseTurn, putOff, releaseTurn, silenceMsMax } from './decide/reaching.ts';
export type { LostTurn, PutOff } from './decide/reaching.ts';
export { askIdOf } from './decide/take-request.ts';
export { editTurn, expireTurn, moveTurn } from './decide/queue.ts';
export type { TurnEdit } from './decide/queue.ts';
export { admitTurn, cancelTurn, enqueueTurn, failStart } from './decide/turns.ts';
export type { Cancel, NewTurn } from './decide/turns.ts';
export type { BriefEvent, EventSize, EventText, ThreadHistory } from './history-port.ts';
export { ownerOf } from './lease/session-owner.ts';
export type { AgentSessionOwner } from './lease/session-owner.ts';
export { agentVariables, verifyTree } from './lease/verify-tree.ts';
export type { RootReading, TreeEvidence, TreeVerdict } from './lease/verify-tree.ts';
export type {
  DueThreads,
  NewThread,
  Offered,
  ThreadAudit,
  ThreadEdit,
  ThreadFilter,
  ThreadName,
  ThreadRecords,
  TurnElsewhere,
} from './ports.ts';
export { laneNames } from './queue/lanes.ts';
export type { LaneClaim, LaneFull, LaneLimits, LaneName, LaneNumbers } from './queue/lanes.ts';
export type {
  LaneCount,
  LaneWaiting,
  OverdueWanted,
  QueueRecords,
  ReadyLane,
  ReadyTurn,
  ReadyWanted,
  RunningTurn,
  WaitingPage,
  WaitingTurn,
} from './queue/ports.ts';
export {
  compareSpots,
  keyAfter,
  spotAfter,
  spotBefore,
} from './queue/queue-order.ts';
export type { QueueSpot } from './queue/queue-order.ts';
export { probeAgent } from './probe/probe-agent.ts';
export type { ProbeDeps } from './probe/probe-agent.ts';
export { probeOnce } from './probe/probe-once.ts';
export type { ProbeOutcome, ProbeResult, ProbeStep } from './probe/probe-result.ts';
export { eventTypes, isAmongRows } from './rows.ts';
export type {
  AgentCapabilities,
  AgentProcess,
  AgentRunRow,
  AskAnswer,
  AskClass,
  AskDecision,
  AskRow,
  CallRow,
  CancelCause,
  Closing,
  EffectRecord,
  EventRow,
  EventType,
  FrameRow,
  LeaseState,
  LoadClass,
  MessageRole,
  OpenMessage,
  Reaching,
  RunPhase,
  ThreadChange,
  ThreadRow,
  ThreadRows,
  ThreadStatus,
  TurnResult,
  TurnRow,
  WakeOutcome,
} from './rows.ts';
export { deadlineMs } from './turn/deadlines.ts';
export { nextTurn, turnCodes } from './turn/next-turn.ts';
export type {
  AgentLoss,
  TurnCode,
  TurnEvent,
  TurnState,
  TurnStatus,
  TurnStep,
} from './turn/next-turn.ts';
export type { Json, JsonObject, RpcError, RpcMessage, WireId } from './wire/json-rpc.ts';
export {
  cancelGraceMs,
  closeGraceMs,
  handshakeMs,
  journalBytesMax,
  messageBytesMax,
  settingMs,
} from './wire/limits.ts';
export { noOutputMs } from './turn/watchdog.ts';
export { formatMessage, formatTask, formatWake } from './visibility/agent-messages.ts';
export type { EndedTask, MakeVisible, Speaker } from './visibility/agent-messages.ts';
export { cutMiddle, saidTexts } from './visibility/said-texts.ts';
export type { SaidText } from './visibility/said-texts.ts';
export type {
  AgentKeys,
  AgentSessionRecords,
  DueWake,
  KeyHolder,
  NewChild,
  SpawnOutcome,
  WakeRecords,
} from './visibility/ports.ts';
export {
  canSeeSessionRow,
  clampVisibility,
  visibilities,
} from './visibility/can-see-session-row.ts';
export type {
  A2aPolicy,
  Visibility,
  VisibilityQuestion,
  VisibleRow,
} from './visibility/can-see-session-row.ts';
export { createTextReader } from './wire/text-reader.ts';
export { createWireReader } from './wire/wire-reader.ts';
export type { WireItem, WireReader, WireStep } from './wire/wire-reader.ts';
