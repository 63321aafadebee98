/*
 * The side door of protocol for reading a thread back: blocks from events, and the proof that all were received. Safe in a browser, and
 * without zod.
 */
export type {
  Block,
  ContentBlock,
  Cut,
  EventBlock,
  Facts,
  LoggedEvent,
  PlanBlock,
  Role,
  TextBlock,
  ToolBlock,
  UserBlock,
} from './block.ts';
export type { ShownEvent } from './block-of-event.ts';
export { canonicalJson } from './canonical-json.ts';
export { chainStart, linkText, missingSeqs } from './event-chain.ts';
export type { SeqRange } from './event-chain.ts';
export { joinBlocks, lastSeqOf, mergeBlocks } from './join-blocks.ts';
