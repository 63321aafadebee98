/*
 * What the tools are made from, who calls them, and what their parts share.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { RunExtras } from '@clawdfather/protocol';
import type {
  Cursor,
  LimitPair,
  RemoteHosts,
  RunRecord,
  Supervisor,
} from '@clawdfather/supervisor';
import type { Gatekeeper, ProposedAction } from './approvals/gatekeeper.ts';
import type { Asker } from './approvals/requester.ts';
import type { AccountRoom } from './exec/account-room.ts';
import type { Hosts } from './host/hosts.ts';
import type { LocalUsers } from './host/local-users.ts';
import type { ReadingProbe } from './process/reading-probe.ts';
import type { Readers } from './process/readers.ts';
import type { TakeOver } from './process/take-over.ts';
import type { Shield } from './shield/create-shield.ts';
import type { Terminals } from './process/terminals.ts';
import type { ToolServers } from './tool-server/tool-servers.ts';

export interface ToolsDeps {
  readonly supervisor: Supervisor;
  readonly gatekeeper: Gatekeeper;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /* What a local command starts with: `loginEnvironment(…)` for agents, a person's own for a person. */
  readonly baseEnvironment: Readonly<Record<string, string>>;
  /* As whom commands run on this machine, and whose: `ownUserOnly` for a program without accounts. */
  readonly users: LocalUsers;
  /* The directory of a local command whose caller names none. Default: HOME of the base environment. */
  readonly homeDirectory?: string;
  /* The caller's own limits of open files, for a program whose runtime has raised its own (S3). Default: as they are. */
  readonly openFiles?: LimitPair | undefined;
  /* Hosts beside `local`. */
  readonly remoteHosts?: RemoteHosts;
  /* What surrounds commands that are shielded. Without it, such a command does not start here. */
  readonly shield?: Shield | undefined;
  /* What serves tools to commands that are to have them. Without it, such a command does not start here. */
  readonly toolServers?: ToolServers | undefined;
  /* Whether commands are shielded unless they say otherwise: those of agents are. Default false. */
  readonly shieldsCommands?: boolean;
  /* False for a short-lived program: it does not take over runs or approvals of other processes. Default true. */
  readonly takesUp?: boolean;
  /* How much an account may have at a time. Default: as much as it likes. */
  readonly room?: AccountRoom | undefined;
  /* The state directory, told with what is held: who decides may look into another one. Default: it is not told. */
  readonly heldIn?: string | undefined;
  /* Of everything that is asked for here: where it comes from. */
  readonly originLabels?: Readonly<Record<string, string>> | undefined;
  /* Whether a terminal can be had on this machine; replaced in tests. */
  readonly canOpenTerminal?: () => boolean;
  /* Whether a process is seen waiting for input; replaced in tests. */
  readonly readingProbe?: ReadingProbe;
}

export interface ToolCall {
  readonly signal: AbortSignal;
  /* Progress of a foreground exec: text as it comes, cleaned. */
  readonly onOutput?: (text: string) => void;
  /* Who asks, for people and for the record: `mcp:claude-code`, `cli`. */
  readonly requester: string;
  readonly account: string;
  readonly sessionId: string;
  /* The session's directory and host, for commands that name none. */
  readonly directory?: string | undefined;
  readonly host?: string | undefined;
  /* Of a command on another host: the session with it that it goes through. Absent: whichever there is. */
  readonly hostSession?: string | undefined;
  /* What is let into its shield, if it has one. */
  readonly letIn?: LetIn | undefined;
  /* What programs of this session are told, beneath the additions of the command: nobody decides on it. */
  readonly sessionEnvironment?: Readonly<Record<string, string>> | undefined;
  /* Less than the usual cap, for callers with a small window. */
  readonly outputCharactersMax?: number | undefined;
  /* A page of output ends here at the latest. */
  readonly untilCursor?: Cursor | undefined;
  /* Resolves when the next piece of long work may be done. Default: after everything else that waits. */
  readonly breathe?: (() => Promise<void>) | undefined;
  /* The id that the run is to have. The same id twice is one run (S1), so a caller that lost the answer asks again. */
  readonly runId?: string | undefined;
  /* Beside those that every run gets: the trace that it belongs to. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /* What a person asked for beside the command: a name, a grace time, limits. */
  readonly extras?: RunExtras | undefined;
  /* Whose names its name must differ from. Default: the account. */
  readonly nameOwner?: string | undefined;
  /* The credential of the request, such as `token:ID`, if an agent may hold it. It may not decide about this request. */
  readonly credential?: string | undefined;
  /* At a gateway: what a person who decides on its machine is told of the caller. */
  readonly asker?: Asker | undefined;
  /* Awaited when the command may start and before it does; a rejection keeps it from starting. Not called for what is held. */
  readonly beforeStart?: ((start: UnaskedStart) => Promise<void>) | undefined;
  /* Which started runs the caller sees. Default: those of its account that these tools have started. */
  readonly sees?: ((record: RunRecord) => boolean) | undefined;
}

/* The socket of a connection to an SSH host. */
export interface LetIn {
  /* Is `sshDirInside` there. */
  readonly directory: string;
  /* What the command is told instead, where it is let in. */
  readonly environment: Readonly<Record<string, string>>;
}

/* What is about to start without a person being asked, and which rule lets it. */
export interface UnaskedStart {
  readonly runId: string;
  readonly action: ProposedAction;
  /* For a person: `security: full`, `allowlist: /usr/bin/make`. */
  readonly rule: string;
  /* Ids of the rules of `allow --always` among it. */
  readonly rules: readonly string[];
}

/* A run that has been asked for and is not in the registry yet, or not yet with a process. */
export interface Starting {
  readonly account: string;
  readonly requester: string;
  /* Never rejects; what came of it is in the registry, or it has failed. */
  readonly done: Promise<void>;
  /* Why there is no record, once that is so. */
  readonly failure: () => Error | undefined;
  /* It is not wanted any more. What waits for its turn on a host never starts; what is on its way is to be ended once it has started. */
  readonly giveUp: () => void;
}

export interface ToolsContext {
  readonly supervisor: Supervisor;
  readonly gatekeeper: Gatekeeper;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly hosts: Hosts;
  readonly openFiles: LimitPair | undefined;
  readonly shield: Shield | undefined;
  readonly toolServers: ToolServers | undefined;
  readonly shieldsCommands: boolean;
  readonly room: AccountRoom | undefined;
  readonly heldIn: string | undefined;
  readonly originLabels: Readonly<Record<string, string>> | undefined;
  readonly canOpenTerminal: () => boolean;
  readonly readingProbe: ReadingProbe;
  readonly starting: Map<string, Starting>;
  /* The last ones: a caller may have been given the id before. */
  readonly failedStarts: Map<string, Starting>;
  /* Approvals whose decision is waited for here. */
  readonly watchedApprovals: Set<string>;
  readonly readers: Readers;
  readonly terminals: Terminals;
  readonly takeOver: TakeOver;
  /* Aborts when the tools are closed. */
  readonly signal: AbortSignal;
}
