/*
 * The door of testkit: fakes and rigs for tests only.
 */
export { openAcpSession, promptAcp, startAcpByHand } from './acp-by-hand.ts';
export type { AcpByHand, AcpMessage, AcpStart } from './acp-by-hand.ts';
export { openCuttingProxy } from './cutting-proxy.ts';
export type { CuttingProxy } from './cutting-proxy.ts';
export { openDesktop } from './desktop/open-desktop.ts';
export type { Desktop, ShownNotification } from './desktop/open-desktop.ts';
export { dropbearSkip, openDropbear } from './dropbear-rig.ts';
export type { DropbearRig } from './dropbear-rig.ts';
export { createEnding } from './ending.ts';
export type { Ending } from './ending.ts';
export { fetchExternal } from './external-program.ts';
export type { ExternalProgram } from './external-program.ts';
export {
  ask,
  askPermission,
  awaitAnswer,
  background,
  createTerminal,
  cut,
  dieBy,
  elicit,
  endTurn,
  exitWith,
  expectCancel,
  expectInitialize,
  expectLoad,
  expectMethod,
  expectNew,
  expectResume,
  gate,
  noise,
  notify,
  onPrompt,
  pauseInput,
  plan,
  raw,
  readTextFile,
  replayUser,
  respond,
  respondError,
  resumeInput,
  say,
  sayAnswer,
  sayBytes,
  script,
  startChild,
  stderr,
  think,
  toolCall,
  toolCallUpdate,
  update,
  usage,
  withdraw,
  writeTextFile,
} from './fake-agent/build-steps.ts';
export type { AskOptions, Steps, TurnOptions } from './fake-agent/build-steps.ts';
export { fakeAgentCommand, writeScript } from './fake-agent/command.ts';
export type { FakeAgentOptions } from './fake-agent/command.ts';
export { openGate } from './fake-agent/open-gate.ts';
export type { Gate } from './fake-agent/open-gate.ts';
export { expectedLines, readTrace } from './fake-agent/read-trace.ts';
export type { TracedRun } from './fake-agent/read-trace.ts';
export { scriptFailedCode } from './fake-agent/script.ts';
export type { Script, Step } from './fake-agent/script.ts';
export type { TracedLine } from './fake-agent/trace-format.ts';
export { createFakeClock } from './fake-clock.ts';
export type { FakeClock } from './fake-clock.ts';
export { fakeModelAgents, fakeModelSetting } from './fake-model/agents.ts';
export type { FakeModelAgent, FakeModelPlace, FakeModelSetting } from './fake-model/agents.ts';
export { openFakeModel } from './fake-model/fake-model.ts';
export type { FakeModel } from './fake-model/fake-model.ts';
export type { ModelRequestEntry, RequestLog } from './fake-model/request-log.ts';
export { createNonce, sayModel, saySeeded, wholeText } from './fake-model/script.ts';
export type { ModelRound, ModelStep } from './fake-model/script.ts';
export { createFastClock } from './fast-clock.ts';
export { freezeProcess } from './freeze-process.ts';
export { createHurryingClock } from './hurrying-clock.ts';
export type { HurryingClock } from './hurrying-clock.ts';
export { inOwnMounts, openLoopDisk } from './loop-disk.ts';
export type { LoopDisk } from './loop-disk.ts';
export { createMcpCalls, hearMessages, hearUpdates, initializeMessage } from './mcp-agent.ts';
export type { McpCalls, ToolAnswer } from './mcp-agent.ts';
export { examineMcpServer, excusedChecks, protocolScenarios } from './mcp-conformance.ts';
export { inspectMcpServer } from './mcp-inspector.ts';
export { netHostSkip, openNetHost } from './net-host.ts';
export type { NetHost } from './net-host.ts';
export { openPostgresProxy, proxyFaults } from './postgres-proxy.ts';
export type { PostgresProxy, ProxyFault } from './postgres-proxy.ts';
export type { PostgresAddress, PostgresServer } from './postgres-server.ts';
export { openMozillaPush } from './mozilla-push.ts';
export type { MozillaPush } from './mozilla-push.ts';
export { openPushService } from './push-service.ts';
export type { BrowserSubscription, PushService, TakenPush } from './push-service.ts';
export { openSmallExt4 } from './small-ext4.ts';
export type { SmallExt4 } from './small-ext4.ts';
export { openSmallDisk, smallDiskSkip } from './small-disk.ts';
export type { SmallDisk } from './small-disk.ts';
export { largestRequest2, writeRegistry2 } from './registry-2.ts';
export type { OldApproval } from './registry-2.ts';
export { runDirectoriesIn } from './run-directories.ts';
export { createSeededRandom } from './seeded-random.ts';
export { sshdPath } from './sshd-program.ts';
export { openSshd, sshdSkip } from './sshd-rig.ts';
export type { HostKey, SshdOptions, SshdRig } from './sshd-rig.ts';
export { usePostgres } from './use-postgres.ts';
export { cannotMakeUsers, makeUnixUser, type UnixUser } from './unix-user.ts';
