/*
 * How a program on this machine works on the host of a session: a prefix that it puts before a command, and what it is
 * told about where it is. People's own programs use ssh itself, through the master of the session; should that be gone, the prefix
 * connects to nothing.
 *
 * An agent in a shield, where the master's socket is not, gets a prefix of the same form: `clf exec`, which asks the tool server
 * outside, so its commands are under the policy for agents. Where a person has said that nothing is asked about on this host
 * (`clf host policy NAME full`), a socket of the same form is let in, and the prefix is ssh itself.
 */
import { sshDirInside } from '@clawdfather/protocol';
import {
  agentDoorIn,
  closeAgentDoor,
  formatSshPrefix,
  openAgentDoor,
  quotePosix,
} from '@clawdfather/ssh';
import type { Connection } from '@clawdfather/store';
import type { LetIn } from '@clawdfather/tools';
import type { LiveHost } from './host-sessions.ts';

export interface AgentBinding {
  /* Written before a command: `$CLAWDFATHER_SSH_PREFIX uptime`. */
  readonly prefix: string;
  /* The variables of a program that is started in the session: as a person's, or in a shield with tools. */
  readonly environment: (launch?: readonly string[]) => Readonly<Record<string, string>>;
  /* What is let into a shield. Undefined: nothing, as long as no person has allowed it. */
  readonly letIn: () => Promise<LetIn | undefined>;
}

export interface BindingDeps {
  readonly sshPath: string;
  readonly shimPath: string;
  /* As it is now: a person may change their mind while a start is under way. */
  readonly isFullyAllowed: () => Promise<boolean>;
}

export function bindingOf(
  { session, master }: LiveHost,
  connection: Connection,
  { sshPath, shimPath, isFullyAllowed }: BindingDeps,
): AgentBinding | undefined {
  const { address } = master;
  if (address === undefined) return undefined;
  const { socketPath, passengerPath: configPath } = master.place;
  const { port, username } = connection;
  const prefixOf = (paths: { readonly socketPath: string; readonly configPath: string }): string =>
    formatSshPrefix({ paths: { sshPath, ...paths }, address, port, user: username });
  const variables = (prefix: string, controlPath: string): Readonly<Record<string, string>> => ({
    CLAWDFATHER_SSH_PREFIX: prefix,
    ...hostContextOf(connection, session.id, controlPath),
  });
  const prefix = prefixOf({ socketPath, configPath });
  return {
    prefix,
    environment: (launch) => {
      const own = launch === undefined ? prefix : relayPrefix(launch, connection.label);
      return variables(own, socketPath);
    },
    letIn: async () => {
      if (!(await isFullyAllowed())) return undefined;
      const door = await openAgentDoor(master.place, shimPath);
      if (door === undefined) return undefined;
      if (!(await isFullyAllowed())) {
        await closeAgentDoor(master.place);
        return undefined;
      }
      const { directory } = door;
      const inside = agentDoorIn(sshDirInside);
      return { directory, environment: variables(prefixOf(inside), inside.socketPath) };
    },
  };
}

/* For a program on the host itself there is no way to the connection: it is where the connection leads. */
export function hostContextOf(
  { id, host, port, username, keypairId }: Connection,
  sessionId: string,
  controlPath?: string,
): Readonly<Record<string, string>> {
  const context = {
    connection_id: id,
    host,
    port,
    username,
    keypair_id: keypairId,
    session_lease_id: sessionId,
    ...(controlPath === undefined ? {} : { control_path: controlPath }),
  };
  return { CLAWDFATHER_CONTEXT: JSON.stringify(context) };
}

function relayPrefix(launch: readonly string[], label: string): string {
  const words = [...launch, 'exec', '--join', '--host', label, '--'];
  return words
    .map((word) => (/^[A-Za-z0-9_/.:=@%+,-]+$/.test(word) ? word : quotePosix(word)))
    .join(' ');
}
