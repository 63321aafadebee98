/*
 * The commands there are, in the order of the help page.
 */
import type { Command } from '../command.ts';
import { allowSpec, approvalsSpec, denySpec } from './approval-specs.ts';
import { mcpSpec } from './mcp-spec.ts';
import { runSpec } from './run-spec.ts';
import { execSpec, pasteSpec, resizeSpec, screenSpec, sendKeysSpec } from './tool-specs.ts';
import {
  attachSpec,
  completeSpec,
  completionSpec,
  configSpec,
  doctorSpec,
  gcSpec,
  helpSpec,
  killSpec,
  logsSpec,
  psSpec,
  rmSpec,
  topSpec,
  versionSpec,
  waitSpec,
} from './specs.ts';

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Start',
    commands: [
      { spec: runSpec, load: () => import('./run.ts') },
      { spec: execSpec, load: () => import('./exec.ts') },
    ],
  },
  {
    title: 'Look',
    commands: [
      { spec: psSpec, load: () => import('./ps.ts') },
      { spec: topSpec, load: () => import('./top.ts') },
      { spec: logsSpec, load: () => import('./logs.ts') },
      { spec: screenSpec, load: () => import('./screen.ts') },
      { spec: waitSpec, load: () => import('./wait.ts') },
    ],
  },
  {
    title: 'Take part',
    commands: [
      { spec: attachSpec, load: () => import('./attach.ts') },
      { spec: sendKeysSpec, load: () => import('./send-keys.ts') },
      { spec: pasteSpec, load: () => import('./paste.ts') },
      { spec: resizeSpec, load: () => import('./resize.ts') },
    ],
  },
  {
    title: 'End and forget',
    commands: [
      { spec: killSpec, load: () => import('./kill.ts') },
      { spec: rmSpec, load: () => import('./rm.ts') },
      { spec: gcSpec, load: () => import('./gc.ts') },
    ],
  },
  {
    title: 'Agents',
    commands: [
      { spec: mcpSpec, load: () => import('./mcp.ts') },
      { spec: approvalsSpec, load: () => import('./approvals.ts') },
      { spec: allowSpec, load: () => import('./allow.ts') },
      { spec: denySpec, load: () => import('./deny.ts') },
    ],
  },
  {
    title: 'This host',
    commands: [
      { spec: configSpec, isConfigFree: true, load: () => import('./config.ts') },
      { spec: doctorSpec, load: () => import('./doctor.ts') },
      { spec: completionSpec, isConfigFree: true, load: () => import('./completion.ts') },
      { spec: versionSpec, isConfigFree: true, load: () => import('./version.ts') },
      { spec: helpSpec, isConfigFree: true, load: () => import('./help.ts') },
    ],
  },
];

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands);

/* Called by programs, so no page lists them. */
export const hiddenCommands: readonly Command[] = [
  { spec: completeSpec, isConfigFree: true, load: () => import('./complete.ts') },
];
