/*
 * All settings of a gateway. The program that starts it reads and checks them once; nothing here reads the environment.
 */
import type { A2aPolicy, LaneLimits, OnceAgent, Visibility } from '@clawdfather/agents';
import type { Policy, ShieldPlaces, ShieldSettings, ToolServerLaunch } from '@clawdfather/tools';
import type { StoreLocation } from '@clawdfather/store';
import type { LimitPair, RetentionPolicy, RunLimits } from '@clawdfather/supervisor';
import type { AccountBounds } from './accounts/account-bounds.ts';
import type { NtfyConfig } from './notices/channels/ntfy.ts';
import type { WebhookConfig } from './notices/channels/webhook.ts';
import type { ArtifactBounds } from './artifacts/limits.ts';
import type { SyncRehearsal } from './artifacts/sync-artifacts.ts';
import type { SocketLimits } from './socket/limits.ts';

export interface GatewayConfig {
  readonly version: string;
  /* Of the runs on this machine; shared with the command line. */
  readonly stateDir: string;
  /* Keys to the stored secrets. Default: `master-keys` in the state directory; gateways that share a database share these. */
  readonly masterKeysDir?: string;
  /* Go on without master keys that are gone; what they have encrypted stays unreadable. Otherwise such a start is refused. */
  readonly acceptsLostKeys?: boolean;
  readonly database: StoreLocation;
  readonly listen: { readonly host: string; readonly port: number };
  readonly tls?: { readonly cert: string; readonly key: string };
  /* Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /* The address that people use, where it is not the one we listen on. */
  readonly publicUrl?: string;
  /* Beside loopback: from where `/metrics` may be read. */
  readonly metricsNetworks: readonly string[];
  readonly otlpEndpoint?: string;
  readonly github?: GithubConfig;
  readonly runs: RunsConfig;
  /* Agents that people can talk to here. */
  readonly agents?: AgentsConfig;
  /* What is said about single accounts. */
  readonly accounts?: readonly AccountConfig[];
  /* How much one account may take. Default: `usualAccountBounds`. */
  readonly bounds?: AccountBounds;
  /* What is kept of what turns leave. */
  readonly artifacts?: ArtifactsConfig;
  /* How many sockets there may be in all, where the usual numbers do not fit. */
  readonly sockets?: Partial<SocketLimits>;
  /* Where the owner's notices are sent. */
  readonly notify?: NotifyConfig;
}

export interface NotifyConfig {
  readonly webhook?: WebhookConfig | undefined;
  readonly ntfy?: NtfyConfig | undefined;
  readonly push?: PushConfig | undefined;
  /* The titles of threads, which are the beginnings of prompts, may be sent. */
  readonly showsTitles?: boolean;
}

export interface PushConfig {
  /* `mailto:` or `https:`: how a push service reaches whoever runs this. Default: the public address. */
  readonly contact?: string | undefined;
  /* Origins of push services beside those of the makers of browsers. */
  readonly services?: readonly string[] | undefined;
}

export interface ArtifactsConfig {
  /* Where the bytes are. Default: `artifacts` in the state directory. Gateways that share a database may share it. */
  readonly directory?: string;
  /* Default: `usualArtifactBounds`. */
  readonly bounds?: Partial<ArtifactBounds>;
  /* For tests. */
  readonly rehearsal?: SyncRehearsal;
}

export interface AgentsConfig {
  /* Asked where a caller names none. */
  readonly defaultName?: string | undefined;
  readonly named: readonly AgentConfig[];
  /* Where built-in ones are installed; absent: none are. */
  readonly directory?: string | undefined;
  /* How many turns run at once here: that of `queue.gateway`, by its older name. */
  readonly activeMax?: number;
  /* How many agents of one account there are, where the usual number does not fit. */
  readonly sessionsMax?: number;
  /* How long a host or another gateway may be silent before a turn there is given up. */
  readonly silenceMs?: number;
  /* How many turns run and wait, and for how long, where the usual numbers do not fit. */
  readonly queue?: QueueConfig | undefined;
  /* What agents have to do with each other's sessions. Default: `usualAgentSessions`. */
  readonly sessions?: AgentSessionsConfig;
}

export interface AgentSessionsConfig {
  readonly visibility: Visibility;
  readonly a2a: A2aPolicy;
  /* How many sessions may be above one that an agent spawns. */
  readonly depthMax: number;
  /* How many that were spawned may be at work at once, below one that a person began. */
  readonly activeMax: number;
}

export interface QueueConfig {
  readonly agent?: Partial<LaneLimits> | undefined;
  /* By the name of an agent, where its lane differs from `agent`. */
  readonly agents?: Readonly<Record<string, Partial<LaneLimits>>> | undefined;
  readonly account?: Partial<LaneLimits> | undefined;
  readonly gateway?: Partial<LaneLimits> | undefined;
  /* With less memory available no agent is started for a turn; zero: it is not looked at. */
  readonly memoryFloorBytes?: number | undefined;
}

/* A program that speaks ACP on its standard streams. */
export interface AgentConfig {
  readonly name: string;
  readonly title?: string | undefined;
  /* Absent: what is installed under this name. */
  readonly command?: readonly [string, ...string[]] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /* Of a new thread for which none is named. */
  readonly cwd?: string | undefined;
  readonly limits?: RunLimits | undefined;
  /* How long its process may live. */
  readonly timeoutMs?: number | undefined;
  /* It speaks no protocol, and is run once per turn. */
  readonly once?: OnceAgent | undefined;
  /* It sees no sessions but its own and those below. */
  readonly sandboxed?: boolean | undefined;
}

export interface AccountConfig {
  readonly id: string;
  /* The Unix user that this account's commands run as; of its own, and only where the gateway runs as root. Absent: it runs nothing here. */
  readonly runAs?: string | undefined;
  /* Instead of what `bounds.sessions` gives every account. */
  readonly sessionsMax?: number | undefined;
  readonly sessionStartsPerHour?: number | undefined;
}

export interface GithubConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  /* Replaced in tests by a local stand-in, and by GitHub Enterprise. */
  readonly webUrl?: string;
  readonly apiUrl?: string;
  /* Beside our own callback: where GitHub may send people back to, word for word. For apps of your own. */
  readonly redirectUris?: readonly string[];
  /* GitHub logins who may make an account here. None by default, because the machine belongs to its owner. */
  readonly admittedLogins: readonly string[];
}

export interface RunsConfig {
  /* For people, who signed in on a device. */
  readonly personPolicy: Policy;
  /* For tokens, which agents may hold, and for MCP. */
  readonly agentPolicy: Policy;
  /* Around what agents start; absent: none. */
  readonly shield?: { readonly settings: ShieldSettings; readonly places: ShieldPlaces };
  /* What serves our tools to shielded agents; absent: none can have them. */
  readonly toolServer?: ToolServerLaunch;
  readonly allow: readonly string[];
  /* What a command starts with, before the allowlist of the environment policy. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /* The only trees of this machine whose directories are suggested to people; absent or none: all that their user can read. */
  readonly suggestRoots?: readonly string[];
  /* What the clean-up keeps of finished runs. */
  readonly retention: RetentionPolicy;
  /* Beside the state directory, the database and the keys: files of ours that no agent's working tree may contain. */
  readonly privatePaths?: readonly string[];
  readonly openFiles?: LimitPair;
  /* The umask of commands: that of the person who started the gateway, whose own is narrower. Default: that of this process. */
  readonly umask?: number;
  /* Where the users of accounts get their temporary directories. Default `/var/lib/clawdfather-users`. */
  readonly temporaryRoot?: string;
}
