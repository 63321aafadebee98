/*
 * Where a run comes from: the words by which its record says what started it, for whom, as whom and where. They are stored with
 * runs that outlive every version of ours, so a word keeps its meaning for ever.
 *
 * The supervisor keeps them and reads none but `agentBackend`. They are here because everything that starts or looks for runs imports it, and
 * behind a door of their own because they need nothing of it.
 */

/* `backendId`: the part that started it. The tools: for agents, and for people who ask for a policy. */
export const execBackend = 'exec';
/* The command line itself, without tools and so without an account. */
export const cliBackend = 'cli';

/* Connections to SSH hosts: they carry commands, and are none that anybody asked for. */
export const sshBackend = 'ssh';

/* An agent that people talk to over a gateway: only the gateway writes to it (W4). */
export const agentBackend = 'agent';

/* Accounts that no gateway has. What agents asked for on this machine, over MCP on stdio. */
export const localAccount = 'local';
/* What a person ran at a terminal of this machine. */
export const cliAccount = 'cli';
/* Both are those of whoever runs this machine. */
export const machineAccounts: readonly string[] = [localAccount, cliAccount];

/* Stand in the place of a session's id for runs that belong to none: they came over the API, from the command line, from an agent. */
export const apiSession = 'api';
export const cliSession = 'cli';
export const localSession = 'local';

/* The host that is always there: this machine. */
export const localHost = 'local';

/* Labels. Whose it is. */
export const accountLabel = 'account';
/* Who asked for it, such as `device:ID` or `mcp:claude-code`. */
export const requesterLabel = 'requester';
/* The id of the host that its command runs on. */
export const hostLabel = 'host';
/* What people called that host at the start; absent for this machine. */
export const hostNameLabel = 'hostName';
/* The directory there, as people are shown it; absent for this machine, where the record has it. */
export const hostDirectoryLabel = 'hostDirectory';
/* What is not absolute is below the home of the user who logs in. */
export function directoryOnHost(path: string): string {
  if (path.startsWith('/')) return path;
  return path === '.' ? '~' : `~/${path}`;
}
/* Where its command works. What carries a command to another host works elsewhere. */
export function directoryOf(run: {
  readonly cwd: string;
  readonly labels: Readonly<Record<string, string>>;
}): string {
  return run.labels[hostDirectoryLabel] ?? run.cwd;
}
/* Where it runs, for people and for a caller that asks for the same host again. */
export function hostNameOf(labels: Readonly<Record<string, string>>): string {
  return labels[hostNameLabel] ?? labels[hostLabel] ?? localHost;
}
/* The Unix user of a run that has another one than we. */
export const runAsLabel = 'runAs';
/* The name that a person gave it. */
export const nameLabel = 'name';
/* The scope of a name: one living run of an account has it, whichever processes start two at once. `owner`: the account, or `cli`. */
export function nameScope(owner: string, name: string): string {
  return `name:${owner}:${name}`;
}
/* The trace that it belongs to: it outlives the request that started it, and the gateway too. */
export const traceLabel = 'trace';
/* A hash of the request that it is the run of. */
export const requestLabel = 'request';
/* `working-tree`: it was let through unasked, and reads nothing but that and the system. */
export const readsLabel = 'reads';
/* The conversation that an agent answers in. */
export const threadLabel = 'thread';
/* How much of a shield is around it: `full`, `opened`, `partial`. Absent: none. */
export const shieldLabel = 'shield';
/* `served`: our tools are let into its shield. */
export const toolsLabel = 'tools';
/* The id of the run that it serves our tools to. */
export const toolsForLabel = 'toolsFor';
/*
 * The id of the run in which the agent is that asked for it with the tools of this machine; else `noRun`, or `unknownRun` where the look
 * around it did not tell.
 */
export const askedInLabel = 'askedIn';
export const noRun = 'none';
export const unknownRun = 'unknown';
/* What a person decided that let it start: `approval:ID`, or `rule:ID,rule:ID` for what was allowed for ever. */
export const allowedByLabel = 'allowedBy';
/* Up to how many bytes its journal may grow, of a run whose account is bounded. */
export const journalMaxLabel = 'journalMax';
/* `unavailable`: it asked for a terminal and has pipes. */
export const terminalLabel = 'terminal';
