/*
 * The commands there are, in the order of the help page.
 */
import type { Command, Execute } from '../command.ts';
import { allowSpec, approvalsSpec, denySpec } from './approval-specs.ts';
import {
  backupSpec,
  restoreSpec,
  serveSpec,
  serviceInstallSpec,
  serviceStatusSpec,
  serviceUninstallSpec,
  statusSpec,
  stopSpec,
} from './gateway-specs.ts';
import {
  auditSpec,
  devicesListSpec,
  devicesRevokeSpec,
  loginSpec,
  logoutSpec,
  runsInputSpec,
  runsKillSpec,
  runsListSpec,
  runsLogsSpec,
  runsRemoveSpec,
  runsShowSpec,
  runsStartSpec,
  runsWaitSpec,
  tokenCreateSpec,
  tokenListSpec,
  tokenRevokeSpec,
} from './host-specs.ts';
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

/* Actions of one family share a file. */
function actionOf<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Execute>>>,
  name: Name,
): Command['load'] {
  return async () => ({ execute: (await load())[name] });
}

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
    title: 'Gateway',
    commands: [
      { spec: serveSpec, load: () => import('./serve.ts') },
      { spec: statusSpec, load: () => import('./status.ts') },
      { spec: stopSpec, load: () => import('./stop.ts') },
      { spec: serviceStatusSpec, load: actionOf(() => import('./service.ts'), 'status') },
      { spec: serviceInstallSpec, load: actionOf(() => import('./service.ts'), 'install') },
      { spec: serviceUninstallSpec, load: actionOf(() => import('./service.ts'), 'uninstall') },
      { spec: backupSpec, load: () => import('./backup.ts') },
      { spec: restoreSpec, load: () => import('./restore.ts') },
    ],
  },
  {
    title: 'At a gateway, here or elsewhere',
    commands: [
      { spec: loginSpec, load: () => import('./login.ts') },
      { spec: logoutSpec, load: () => import('./logout.ts') },
      { spec: runsListSpec, load: actionOf(() => import('./runs.ts'), 'list') },
      { spec: runsShowSpec, load: actionOf(() => import('./runs.ts'), 'show') },
      { spec: runsStartSpec, load: actionOf(() => import('./runs.ts'), 'start') },
      { spec: runsLogsSpec, load: actionOf(() => import('./runs.ts'), 'logs') },
      { spec: runsInputSpec, load: actionOf(() => import('./runs.ts'), 'input') },
      { spec: runsWaitSpec, load: actionOf(() => import('./runs-end.ts'), 'wait') },
      { spec: runsKillSpec, load: actionOf(() => import('./runs-end.ts'), 'kill') },
      { spec: runsRemoveSpec, load: actionOf(() => import('./runs-end.ts'), 'remove') },
      { spec: tokenListSpec, load: actionOf(() => import('./token.ts'), 'list') },
      { spec: tokenCreateSpec, load: actionOf(() => import('./token.ts'), 'create') },
      { spec: tokenRevokeSpec, load: actionOf(() => import('./token.ts'), 'revoke') },
      { spec: devicesListSpec, load: actionOf(() => import('./devices.ts'), 'list') },
      { spec: devicesRevokeSpec, load: actionOf(() => import('./devices.ts'), 'revoke') },
      { spec: auditSpec, load: () => import('./audit.ts') },
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
