/*
 * From settings to what the gateway is told. Files with secrets are read here, once.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { reachBoundsOf } from '../approvals/reach-bounds.ts';
import { shieldPlacesOf, shieldSettingsOf } from '../approvals/shield-places.ts';
import { toolServerLaunch } from '../approvals/tool-server-launch.ts';
import type { CommandContext } from '../command.ts';
import type { Config } from '../config.ts';
import { agentConfigsFrom } from '../agents/agent-configs.ts';
import { agentsDirectory } from '../config/agents-directory.ts';
import { parseAddress } from '../config/network-kinds.ts';
import { retentionPolicyFrom } from '../config/retention-policy.ts';
import { usageError } from '../errors.ts';
import type { GatewayConfig } from '../serve.ts';
import { notifyFrom } from './notify-config.ts';
import { readSecretFile } from './read-secret.ts';

export function gatewayConfigFrom(
  { config }: Pick<CommandContext, 'config'>,
  version: string,
): GatewayConfig {
  const { values, stateDir } = config;
  const publicUrl = values['gateway.publicUrl'];
  const otlpEndpoint = values['gateway.otlpEndpoint'];
  const masterKeysDir = values['gateway.masterKeysDir'];
  return {
    version,
    stateDir,
    database: databaseFrom(config),
    listen: parseAddress('gateway.listen', values['gateway.listen']),
    trustedProxies: values['gateway.trustedProxies'],
    metricsNetworks: values['gateway.metricsNetworks'],
    agents: {
      defaultName: values.defaultAgent,
      named: agentConfigsFrom(config),
      directory: agentsDirectory(config),
      sessions: {
        visibility: values['agents.visibility'],
        a2a: values['agents.a2a'],
        depthMax: values['agents.spawnDepthMax'],
        activeMax: values['agents.spawnedMax'],
      },
      queue: queueConfigFrom(values),
    },
    accounts: values.accounts,
    artifacts: artifactsFrom(config),
    bounds: {
      liveRunsMax: values['gateway.liveRunsMax'],
      socketsMax: values['gateway.socketsMax'],
      streamsMax: values['gateway.streamsMax'],
      members: {
        journalBytesMax: values['gateway.memberJournalMax'],
        outputBytesPerSecond: values['gateway.memberOutputRate'],
        nice: values['gateway.memberNice'],
      },
      sessions: {
        ownerOpenMax: values['gateway.ownerSessionsMax'],
        memberOpenMax: values['gateway.memberSessionsMax'],
        sessionStartsPerHour: values['gateway.sessionStartsPerHour'],
        hostChangesPerHour: values['gateway.hostChangesPerHour'],
        hostProbesPerHour: values['gateway.hostProbesPerHour'],
        hostTestsPerMinute: values['gateway.hostTestsPerMinute'],
      },
    },
    runs: {
      personPolicy: { security: values['policy.cli.security'], ask: values['policy.cli.ask'] },
      agentPolicy: { security: values['policy.mcp.security'], ask: values['policy.mcp.ask'] },
      shield: { settings: shieldSettingsOf(config), places: shieldPlacesOf(config) },
      toolServer: toolServerLaunch(config),
      allow: values['policy.allow'],
      privatePaths: reachBoundsOf(config).ours,
      environment: config.commandEnv,
      directory: values['gateway.directory'] ?? (config.env['HOME'] || homedir()),
      suggestRoots: values['gateway.suggestRoots'],
      retention: retentionPolicyFrom(config),
      umask: config.umask,
      ...(config.openFiles === undefined ? {} : { openFiles: config.openFiles }),
    },
    ...(masterKeysDir === undefined ? {} : { masterKeysDir }),
    ...tlsFrom(config),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(otlpEndpoint === undefined ? {} : { otlpEndpoint }),
    ...githubFrom(config),
    notify: notifyFrom(config),
  };
}

function artifactsFrom({ values }: Config): NonNullable<GatewayConfig['artifacts']> {
  const directory = values['gateway.artifactsDir'];
  return {
    ...(directory === undefined ? {} : { directory }),
    bounds: {
      turnBytesMax: values['gateway.artifactsTurnMax'],
      accountBytesMax: values['gateway.artifactsAccountMax'],
      keptMs: values['gateway.artifactsKept'],
    },
  };
}

/* Where the keys to stored secrets lie. */
export function masterKeysDirFrom({ values, stateDir }: Config): string {
  return values['gateway.masterKeysDir'] ?? join(stateDir, 'master-keys');
}

export function databaseFrom({ values, stateDir }: Config): GatewayConfig['database'] {
  const path = values['gateway.database.path'];
  const urlFile = values['gateway.database.urlFile'];
  if (urlFile === undefined) return { kind: 'sqlite', path: path ?? join(stateDir, 'control.db') };
  if (path !== undefined) {
    throw usageError('gateway.database.path and gateway.database.urlFile exclude each other');
  }
  const setting = 'gateway.database.urlFile';
  return { kind: 'postgres', connectionString: readSecretFile({ path: urlFile, setting }) };
}

function tlsFrom({ values }: Config): Pick<GatewayConfig, 'tls'> {
  const [cert, key] = [values['gateway.tls.cert'], values['gateway.tls.key']];
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) {
    throw usageError('a certificate and its key belong together: --tls-cert FILE --tls-key FILE');
  }
  return {
    tls: {
      cert: readSecretFile({ path: cert, setting: 'gateway.tls.cert', isPublic: true }),
      key: readSecretFile({ path: key, setting: 'gateway.tls.key' }),
    },
  };
}

function githubFrom({ values }: Config): Pick<GatewayConfig, 'github'> {
  const clientId = values['gateway.github.clientId'];
  const path = values['gateway.github.clientSecretFile'];
  if (clientId === undefined && path === undefined) return {};
  if (clientId === undefined || path === undefined) {
    throw usageError('gateway.github needs both: clientId and clientSecretFile');
  }
  const [webUrl, apiUrl] = [values['gateway.github.webUrl'], values['gateway.github.apiUrl']];
  return {
    github: {
      redirectUris: values['gateway.github.redirectUris'],
      ...(webUrl === undefined ? {} : { webUrl }),
      ...(apiUrl === undefined ? {} : { apiUrl }),
      clientId,
      clientSecret: readSecretFile({ path, setting: 'gateway.github.clientSecretFile' }),
      admittedLogins: values['gateway.github.admittedLogins'],
    },
  };
}

type QueueConfig = NonNullable<GatewayConfig['agents']>['queue'];

function queueConfigFrom(values: CommandContext['config']['values']): QueueConfig {
  const lane = (name: 'agent' | 'account' | 'gateway') => ({
    activeMax: values[`queue.${name}.active`],
    waitingMax: values[`queue.${name}.waiting`],
    waitMsMax: values[`queue.${name}.wait`],
  });
  return {
    agent: lane('agent'),
    agents: values['queue.agents'],
    account: lane('account'),
    gateway: lane('gateway'),
    memoryFloorBytes: values['queue.memoryFloor'],
  };
}
