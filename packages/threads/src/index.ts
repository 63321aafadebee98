/*
 * The door of threads: conversations with agents, and what keeps them going through every restart.
 */
export type { AgentClose, AgentController } from './agent-controller.ts';
export { createThreads } from './create-threads.ts';
export type { AskedReply, Prompt, Threads, ThreadsDeps } from './create-threads.ts';
export { createEventDesk } from './event-desk.ts';
export type { EventDesk, ThreadNews } from './event-desk.ts';
export { ThreadsError, threadsErrorCodes } from './errors.ts';
export type { ThreadsErrorCode } from './errors.ts';
export { askClasses, askOutcomes, silentThreadsObserver } from './observer.ts';
export type { AskOutcome, ObservedThread, ThreadEvent, ThreadsObserver } from './observer.ts';
export { createWakes } from './wakes.ts';
export type { Wakes, WakesDeps } from './wakes.ts';
export type {
  AgentPlan,
  AgentSessions,
  AgentStarter,
  CrashPoint,
  HostTools,
  HostWrite,
  NewTerminal,
  StartedRun,
  TerminalName,
} from './ports.ts';
export { createAdmission } from './queue/admission.ts';
export { pollTimes } from './queue/poll-facts.ts';
export type { PolledTurn, PollFacts } from './queue/poll-facts.ts';
export { usualQueueLimits } from './queue/queue-limits.ts';
export type { MemoryLimits, QueueLimits } from './queue/queue-limits.ts';
export type { QueueEdits, TurnMove } from './queue/queue-edits.ts';
export { queueReasonCodes } from './queue/queue-view.ts';
export type {
  LaneView,
  QueueDesk,
  QueuedTurn,
  QueuePlace,
  QueueReason,
  QueueReasonCode,
  QueueView,
} from './queue/queue-view.ts';
