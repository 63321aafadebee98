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
