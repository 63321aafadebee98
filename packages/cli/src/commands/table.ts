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
      { spec: runSpec, configFile: 'required', load: () => import('./run.ts') },
      { spec: execSpec, configFile: 'required', load: () => import('./exec.ts') },
    ],
  },
  {
    title: 'Look',
    commands: [
      { spec: psSpec, configFile: 'optional', load: () => import('./ps.ts') },
      { spec: topSpec, configFile: 'optional', load: () => import('./top.ts') },
      { spec: logsSpec, configFile: 'optional', load: () => import('./logs.ts') },
      { spec: screenSpec, configFile: 'optional', load: () => import('./screen.ts') },
      { spec: waitSpec, configFile: 'optional', load: () => import('./wait.ts') },
    ],
  },
  {
    title: 'Take part',
    commands: [
      { spec: attachSpec, configFile: 'optional', load: () => import('./attach.ts') },
      { spec: sendKeysSpec, configFile: 'optional', load: () => import('./send-keys.ts') },
      { spec: pasteSpec, configFile: 'optional', load: () => import('./paste.ts') },
      { spec: resizeSpec, configFile: 'optional', load: () => import('./resize.ts') },
    ],
  },
  {
    title: 'End and forget',
    commands: [
      { spec: killSpec, configFile: 'optional', load: () => import('./kill.ts') },
      { spec: rmSpec, configFile: 'optional', load: () => import('./rm.ts') },
      { spec: gcSpec, configFile: { requiredUnless: 'dry-run' }, load: () => import('./gc.ts') },
    ],
  },
  {
    title: 'Agents',
    commands: [
      { spec: mcpSpec, configFile: 'required', load: () => import('./mcp.ts') },
      { spec: approvalsSpec, configFile: 'optional', load: () => import('./approvals.ts') },
      { spec: allowSpec, configFile: 'required', load: () => import('./allow.ts') },
      { spec: denySpec, configFile: 'optional', load: () => import('./deny.ts') },
    ],
  },
  {
    title: 'Gateway',
    commands: [
      { spec: serveSpec, configFile: 'required', load: () => import('./serve.ts') },
      { spec: statusSpec, configFile: 'optional', load: () => import('./status.ts') },
      { spec: stopSpec, configFile: 'optional', load: () => import('./stop.ts') },
      {
        spec: serviceStatusSpec,
        configFile: 'optional',
        load: actionOf(() => import('./service.ts'), 'status'),
      },
      {
        spec: serviceInstallSpec,
        configFile: 'required',
        load: actionOf(() => import('./service.ts'), 'install'),
      },
      {
        spec: serviceUninstallSpec,
        configFile: 'required',
        load: actionOf(() => import('./service.ts'), 'uninstall'),
      },
      { spec: backupSpec, configFile: 'required', load: () => import('./backup.ts') },
      { spec: restoreSpec, configFile: 'required', load: () => import('./restore.ts') },
    ],
  },
  {
    title: 'At a gateway, here or elsewhere',
    commands: [
      { spec: loginSpec, configFile: 'required', load: () => import('./login.ts') },
      { spec: logoutSpec, configFile: 'required', load: () => import('./logout.ts') },
      {
        spec: runsListSpec,
        configFile: 'optional',
        load: actionOf(() => import('./runs.ts'), 'list'),
      },
      {
        spec: runsShowSpec,
        configFile: 'optional',
        load: actionOf(() => import('./runs.ts'), 'show'),
      },
      {
        spec: runsStartSpec,
        configFile: 'required',
        load: actionOf(() => import('./runs.ts'), 'start'),
      },
      {
        spec: runsLogsSpec,
        configFile: 'optional',
        load: actionOf(() => import('./runs.ts'), 'logs'),
      },
      {
        spec: runsInputSpec,
        configFile: 'required',
        load: actionOf(() => import('./runs.ts'), 'input'),
      },
      {
        spec: runsWaitSpec,
        configFile: 'optional',
        load: actionOf(() => import('./runs-end.ts'), 'wait'),
      },
      {
        spec: runsKillSpec,
        configFile: 'optional',
        load: actionOf(() => import('./runs-end.ts'), 'kill'),
      },
      {
        spec: runsRemoveSpec,
        configFile: 'optional',
        load: actionOf(() => import('./runs-end.ts'), 'remove'),
      },
      {
        spec: tokenListSpec,
        configFile: 'required',
        load: actionOf(() => import('./token.ts'), 'list'),
      },
      {
        spec: tokenCreateSpec,
        configFile: 'required',
        load: actionOf(() => import('./token.ts'), 'create'),
      },
      {
        spec: tokenRevokeSpec,
        configFile: 'required',
        load: actionOf(() => import('./token.ts'), 'revoke'),
      },
      {
        spec: devicesListSpec,
        configFile: 'required',
        load: actionOf(() => import('./devices.ts'), 'list'),
      },
      {
        spec: devicesRevokeSpec,
        configFile: 'required',
        load: actionOf(() => import('./devices.ts'), 'revoke'),
      },
      { spec: auditSpec, configFile: 'required', load: () => import('./audit.ts') },
    ],
  },
  {
    title: 'This host',
    commands: [
      { spec: configSpec, configFile: 'unread', load: () => import('./config.ts') },
      { spec: doctorSpec, configFile: 'optional', load: () => import('./doctor.ts') },
      { spec: completionSpec, configFile: 'unread', load: () => import('./completion.ts') },
      { spec: versionSpec, configFile: 'unread', load: () => import('./version.ts') },
      { spec: helpSpec, configFile: 'unread', load: () => import('./help.ts') },
    ],
  },
];

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands);

/* Called by programs, so no page lists them. */
export const hiddenCommands: readonly Command[] = [
  { spec: completeSpec, configFile: 'unread', load: () => import('./complete.ts') },
];
