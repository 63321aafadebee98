/*
 * The commands, in the order of the help page. The code of a command is imported when it is called, and the compiler
 * checks it against its declaration.
 */
import { type Command, command } from '../command.ts';
import {
  agentsChoicesSpec,
  agentsInstallSpec,
  agentsListSpec,
  agentsLoginSpec,
  agentsRemoveSpec,
  agentsTestSpec,
  askSpec,
  saySpec,
  threadsArchiveSpec,
  threadsRenameSpec,
  threadsUnarchiveSpec,
  threadsCancelSpec,
  threadsFollowSpec,
  threadsListSpec,
  threadsShowSpec,
  threadsVerifySpec,
} from './agent-specs.ts';
import { threadsArtifactsSpec, threadsDownloadSpec } from './artifact-specs.ts';
import {
  allowSpec,
  approvalsSpec,
  denySpec,
  rulesListSpec,
  rulesRemoveSpec,
} from './approval-specs.ts';
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
import { inboxSpec, noticesListSpec, noticesTestSpec } from './inbox-specs.ts';
import {
  auditSpec,
  devicesListSpec,
  devicesRevokeSpec,
  loginSpec,
  logoutSpec,
  tokenCreateSpec,
  tokenListSpec,
  tokenRevokeSpec,
} from './sign-in-specs.ts';
import {
  hostAddSpec,
  hostListSpec,
  hostRemoveSpec,
  hostShowSpec,
  hostTestSpec,
  hostTrustSpec,
  hostPolicySpec,
  keyCreateSpec,
  keyInstallSpec,
  keyListSpec,
  keyRevokeSpec,
  keyRotateMasterSpec,
  keyRotateSpec,
  keyShowSpec,
  sessionCloseSpec,
  sessionListSpec,
  sessionStartSpec,
} from './host-specs.ts';
import { mcpSpec } from './mcp-spec.ts';
import {
  completeSpec,
  completionSpec,
  configSpec,
  doctorSpec,
  drillAgentSpec,
  drillSpec,
  drillSweepSpec,
  helpSpec,
  versionSpec,
} from './own-specs.ts';
import { queueCancelSpec, queueEditSpec, queueListSpec, queueMoveSpec } from './queue-specs.ts';
import { threadsChangesSpec, threadsReceiptSpec } from './reading-specs.ts';
import { runSpec } from './run-spec.ts';
import {
  execSpec,
  inputSpec,
  pasteSpec,
  resizeSpec,
  screenSpec,
  sendKeysSpec,
} from './tool-specs.ts';
import {
  attachSpec,
  gcSpec,
  killSpec,
  logsSpec,
  psSpec,
  rmSpec,
  showSpec,
  topSpec,
  waitSpec,
} from './specs.ts';

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Start a command',
    commands: [
      command(runSpec, 'required', async () => (await import('./run.ts')).execute),
      command(execSpec, 'required', async () => (await import('./exec.ts')).execute),
    ],
  },
  {
    title: 'Look at runs',
    commands: [
      command(psSpec, 'optional', async () => (await import('./ps.ts')).execute),
      command(showSpec, 'optional', async () => (await import('./show.ts')).execute),
      command(topSpec, 'optional', async () => (await import('./top.ts')).execute),
      command(logsSpec, 'optional', async () => (await import('./logs.ts')).execute),
      command(screenSpec, 'optional', async () => (await import('./screen.ts')).execute),
      command(waitSpec, 'optional', async () => (await import('./wait.ts')).execute),
    ],
  },
  {
    title: 'Type into a run',
    commands: [
      command(attachSpec, 'optional', async () => (await import('./attach.ts')).execute),
      command(sendKeysSpec, 'optional', async () => (await import('./send-keys.ts')).execute),
      command(inputSpec, 'optional', async () => (await import('./input.ts')).execute),
      command(pasteSpec, 'optional', async () => (await import('./paste.ts')).execute),
      command(resizeSpec, 'optional', async () => (await import('./resize.ts')).execute),
    ],
  },
  {
    title: 'End and remove runs',
    commands: [
      command(killSpec, 'optional', async () => (await import('./kill.ts')).execute),
      command(rmSpec, 'optional', async () => (await import('./rm.ts')).execute),
      command(
        gcSpec,
        ({ dryRun }) => (dryRun ? 'optional' : 'required'),
        async () => (await import('./gc.ts')).execute,
      ),
    ],
  },
  {
    title: 'Ask agents, through a gateway',
    commands: [
      command(askSpec, 'required', async () => (await import('./ask.ts')).ask),
      command(saySpec, 'required', async () => (await import('./ask.ts')).say),
      command(threadsListSpec, 'required', async () => (await import('./threads.ts')).list),
      command(threadsShowSpec, 'required', async () => (await import('./threads.ts')).show),
      command(
        threadsFollowSpec,
        'required',
        async () => (await import('./threads-follow.ts')).execute,
      ),
      command(
        threadsArtifactsSpec,
        'required',
        async () => (await import('./threads-artifacts.ts')).list,
      ),
      command(
        threadsDownloadSpec,
        'required',
        async () => (await import('./threads-artifacts.ts')).download,
      ),
      command(
        threadsReceiptSpec,
        'required',
        async () => (await import('./threads-receipt.ts')).execute,
      ),
      command(
        threadsChangesSpec,
        'required',
        async () => (await import('./threads-changes.ts')).execute,
      ),
      command(
        threadsVerifySpec,
        'required',
        async () => (await import('./threads-verify.ts')).execute,
      ),
      command(threadsCancelSpec, 'required', async () => (await import('./threads.ts')).cancel),
      command(threadsArchiveSpec, 'required', async () => (await import('./threads.ts')).archive),
      command(
        threadsUnarchiveSpec,
        'required',
        async () => (await import('./threads.ts')).unarchive,
      ),
      command(threadsRenameSpec, 'required', async () => (await import('./threads.ts')).rename),
      command(queueListSpec, 'required', async () => (await import('./queue.ts')).list),
      command(queueMoveSpec, 'required', async () => (await import('./queue.ts')).move),
      command(queueEditSpec, 'required', async () => (await import('./queue.ts')).edit),
      command(queueCancelSpec, 'required', async () => (await import('./queue.ts')).cancel),
      command(agentsListSpec, 'required', async () => (await import('./agents.ts')).list),
      command(
        agentsChoicesSpec,
        'required',
        async () => (await import('./agents-choices.ts')).execute,
      ),
      command(
        agentsInstallSpec,
        'required',
        async () => (await import('./agents-install.ts')).install,
      ),
      command(agentsLoginSpec, 'required', async () => (await import('./agents-login.ts')).login),
      command(agentsTestSpec, 'required', async () => (await import('./agents-test.ts')).test),
      command(
        agentsRemoveSpec,
        'required',
        async () => (await import('./agents-install.ts')).remove,
      ),
    ],
  },
  {
    title: 'Agents and approvals',
    commands: [
      command(mcpSpec, 'required', async () => (await import('./mcp.ts')).execute),
      command(approvalsSpec, 'optional', async () => (await import('./approvals.ts')).execute),
      command(allowSpec, 'required', async () => (await import('./allow.ts')).execute),
      command(denySpec, 'optional', async () => (await import('./deny.ts')).execute),
      command(rulesListSpec, 'optional', async () => (await import('./rules.ts')).list),
      command(rulesRemoveSpec, 'optional', async () => (await import('./rules.ts')).remove),
    ],
  },
  {
    title: 'SSH hosts, through a gateway',
    commands: [
      command(hostListSpec, 'required', async () => (await import('./host.ts')).list),
      command(hostShowSpec, 'required', async () => (await import('./host.ts')).show),
      command(hostAddSpec, 'required', async () => (await import('./host-add.ts')).execute),
      command(hostTestSpec, 'required', async () => (await import('./host.ts')).test),
      command(hostTrustSpec, 'required', async () => (await import('./host.ts')).trust),
      command(hostPolicySpec, 'required', async () => (await import('./host.ts')).policy),
      command(hostRemoveSpec, 'required', async () => (await import('./host.ts')).remove),
      command(keyListSpec, 'required', async () => (await import('./key.ts')).list),
      command(keyCreateSpec, 'required', async () => (await import('./key.ts')).create),
      command(keyShowSpec, 'required', async () => (await import('./key.ts')).show),
      command(keyInstallSpec, 'required', async () => (await import('./key.ts')).installCommand),
      command(keyRotateSpec, 'required', async () => (await import('./key.ts')).rotate),
      command(
        keyRotateMasterSpec,
        'required',
        async () => (await import('./key-rotate-master.ts')).execute,
      ),
      command(keyRevokeSpec, 'required', async () => (await import('./key.ts')).revoke),
      command(sessionListSpec, 'required', async () => (await import('./session.ts')).list),
      command(sessionStartSpec, 'required', async () => (await import('./session.ts')).start),
      command(sessionCloseSpec, 'required', async () => (await import('./session.ts')).close),
    ],
  },
  {
    title: 'The gateway on this machine',
    commands: [
      command(serveSpec, 'required', async () => (await import('./serve.ts')).execute),
      command(statusSpec, 'optional', async () => (await import('./status.ts')).execute),
      command(stopSpec, 'optional', async () => (await import('./stop.ts')).execute),
      command(serviceStatusSpec, 'optional', async () => (await import('./service.ts')).status),
      command(serviceInstallSpec, 'required', async () => (await import('./service.ts')).install),
      command(
        serviceUninstallSpec,
        'required',
        async () => (await import('./service.ts')).uninstall,
      ),
      command(backupSpec, 'required', async () => (await import('./backup.ts')).execute),
      command(restoreSpec, 'required', async () => (await import('./restore.ts')).execute),
    ],
  },
  {
    title: 'Your account at a gateway',
    commands: [
      command(loginSpec, 'required', async () => (await import('./login.ts')).execute),
      command(logoutSpec, 'required', async () => (await import('./logout.ts')).execute),
      command(tokenListSpec, 'required', async () => (await import('./token.ts')).list),
      command(tokenCreateSpec, 'required', async () => (await import('./token.ts')).create),
      command(tokenRevokeSpec, 'required', async () => (await import('./token.ts')).revoke),
      command(devicesListSpec, 'required', async () => (await import('./devices.ts')).list),
      command(devicesRevokeSpec, 'required', async () => (await import('./devices.ts')).revoke),
      command(auditSpec, 'required', async () => (await import('./audit.ts')).execute),
      command(inboxSpec, 'required', async () => (await import('./inbox.ts')).execute),
      command(noticesListSpec, 'required', async () => (await import('./notices.ts')).list),
      command(noticesTestSpec, 'required', async () => (await import('./notices.ts')).test),
    ],
  },
  {
    title: 'This installation',
    commands: [
      command(configSpec, 'unread', async () => (await import('./config.ts')).execute),
      command(doctorSpec, 'optional', async () => (await import('./doctor.ts')).execute),
      command(drillSpec, 'unread', async () => (await import('./drill.ts')).execute),
      command(completionSpec, 'unread', async () => (await import('./completion.ts')).execute),
      command(versionSpec, 'unread', async () => (await import('./version.ts')).execute),
      command(helpSpec, 'unread', async () => (await import('./help.ts')).execute),
    ],
  },
];

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands);

/* Called by programs, so no page lists them. */
export const hiddenCommands: readonly Command[] = [
  command(completeSpec, 'unread', async () => (await import('./complete.ts')).execute),
  command(drillAgentSpec, 'unread', async () => (await import('./drill.ts')).executeAgent),
  command(drillSweepSpec, 'unread', async () => (await import('./drill.ts')).executeSweep),
];
