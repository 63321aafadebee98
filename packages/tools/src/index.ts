/*
 * The door of tools: commands for agents and people.
 */
export type {
  ApprovalRecord,
  Gatekeeper,
  ProposedAction,
  Proposal,
  Verdict,
} from './approvals/gatekeeper.ts';
export type { HostCommand, HostPort, HostSpawn } from './host/host-port.ts';
export { createCappedText } from './output/capped-text.ts';
export type { CappedResult, CappedText } from './output/capped-text.ts';
export { createTextCleaner } from './output/clean-text.ts';
export type { TextCleaner } from './output/clean-text.ts';
export { createLinePager, readPage } from './output/line-pager.ts';
export type { LinePage, LinePager, PageRequest, Reading } from './output/line-pager.ts';
export { makeVisible } from './output/visible-text.ts';
