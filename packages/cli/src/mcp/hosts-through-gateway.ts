/*
 * SSH hosts for an agent's tools on this machine. Hosts belong to a gateway, so a command on one is carried there by `clf run --host`, as
 * a run of this machine: its id, its cursors, its time limits and its approval are here, and cancelling it ends it on the host.
 *
 * A person decides before it starts, what runs on another machine being never on the allowlist; or has decided for the whole host
 * (`clf host policy`). So the gateway is asked with the sign-in of this person, which no agent sees.
 */
import { hasCode } from '@clawdfather/kit';
import { execLimits, forRunVariable } from '@clawdfather/protocol';
import type { HostCommand, HostPort, HostSpawn, RemoteHosts } from '@clawdfather/supervisor';
import type { ToolServerLaunch } from '@clawdfather/tools';
import type { CommandContext } from '../command.ts';
import { type Host, readHosts } from '../hosts/find-one.ts';
import { withHosts } from '../hosts/with-hosts.ts';

export interface HostsThroughGatewayDeps extends Pick<CommandContext, 'config'> {
  /* How `clf` is started here. */
  readonly launch: ToolServerLaunch;
}

/* Where a login lands. */
const homeOnHost = '.';

export function createHostsThroughGateway(deps: HostsThroughGatewayDeps): RemoteHosts {
  return {
    find: async (_account, idOrLabel) => {
      const hosts = await readAll(deps);
      const found = hosts.find(({ id, label }) => id === idOrLabel || label === idOrLabel);
      return found && createHost(launchFor(deps), found);
    },
    idsOf: async () => (await readAll(deps)).map(({ label }) => label),
  };
}

/* The gateway is told which run these tools are for: it knows what that run is about. */
function launchFor({ launch, config }: HostsThroughGatewayDeps): ToolServerLaunch {
  const own = config.env['CLAWDFATHER_RUN_ID'];
  const told = own === undefined ? {} : { [forRunVariable]: own };
  return { ...launch, env: { ...launch.env, ...told } };
}

/* Without a gateway, or a sign-in there, there are none. */
async function readAll(deps: HostsThroughGatewayDeps): Promise<readonly Host[]> {
  try {
    return await withHosts(deps, ({ client }) => readHosts(client));
  } catch (error) {
    if (hasCode(error, 'gateway-needed', 'not-signed-in', 'gateway-unreachable')) return [];
    throw error;
  }
}

function createHost(launch: ToolServerLaunch, { id, label, policy }: Host): HostPort {
  return {
    id,
    isFullyAllowed: policy === 'full',
    usualTimeoutSeconds: execLimits.timeoutSeconds.usualRemote,
    searchPath: '',
    homeDirectory: homeOnHost,
    userOf: async () => undefined,
    findDirectory: async (path) => ({ kind: 'found', path }),
    plan: async (command) => carry(launch, label, command),
  };
}

/* Additions to the environment go by name: their values are in no command line. */
function carry(launch: ToolServerLaunch, label: string, asked: HostCommand): HostSpawn {
  const { command, cwd, envAdditions, terminal } = asked;
  const [program = '', ...first] = launch.argv;
  const flags = [
    '-q',
    '--host',
    label,
    ...(cwd === homeOnHost ? [] : ['--cwd', cwd]),
    ...Object.keys(envAdditions).flatMap((name) => ['-e', name]),
    ...(terminal === undefined ? [] : ['--pty']),
  ];
  const words = command.kind === 'argv' ? command.argv : ['sh', '-c', command.line];
  return {
    mode: terminal === undefined ? 'child' : 'pty-argv',
    argv: [program, ...first, 'run', ...flags, '--', ...words],
    cwd: '/',
    env: { ...launch.env, ...envAdditions },
  };
}
