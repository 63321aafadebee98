/*
 * The agents of a machine: those that the settings name, and the built-in ones; which are installed, signed in, and known to work.
 */
import { isProgram } from './is-program.ts';
import { findInstalled, type InstallPlace } from '../install/find-installed.ts';
import type { InstalledAgent } from '../install/installed-agent.ts';
import { type LastTest, readLastTest } from '../install/last-test.ts';
import { builtInAgents } from './built-in.ts';
import { readPlatform } from './platform.ts';
import {
  type AgentSettings,
  type ResolvedAgent,
  resolveAgent,
  resolveOnHost,
} from './resolve-agent.ts';
import { findSignIn, type SignedIn } from './signed-in.ts';

export interface NamedAgent extends AgentSettings {
  readonly name: string;
  readonly title?: string | undefined;
}

export interface ListedAgent {
  readonly name: string;
  readonly title: string;
  readonly source: 'settings' | 'built-in';
  readonly isInstalled: boolean;
  readonly version: string | undefined;
  /* Undefined: not to be told from outside. */
  readonly signedIn: SignedIn | undefined;
  /* Of what would be started now; of anything else it says nothing. */
  readonly lastTest: LastTest | undefined;
}

export interface AgentsHere {
  readonly named: readonly NamedAgent[];
  /* Where built-in ones are installed; absent: none are. */
  readonly directory?: string | undefined;
  /* That an agent starts with, before its own. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface AgentList {
  /* Throws `agent-unknown`, `agent-not-installed`. */
  resolve(name: string): ResolvedAgent;
  /* For an SSH host. Throws `agent-unknown`, `agent-not-on-host`. */
  resolveOnHost(name: string): ResolvedAgent;
  installed(name: string): InstalledAgent | undefined;
  /* Undefined: it has no sign-in that we know. */
  signedIn(name: string): SignedIn | undefined;
  list(): readonly ListedAgent[];
}

export function createAgentList({ named, directory, environment }: AgentsHere): AgentList {
  const settings = Object.fromEntries(named.map(({ name, ...agent }) => [name, agent]));
  let place: InstallPlace | undefined;
  // Looked at for every start: an installation may come while we run.
  const installed = (name: string): InstalledAgent | undefined => {
    const entry = entryOf(name);
    if (entry === undefined || directory === undefined) return undefined;
    place ??= { directory, platform: readPlatform(), node: process.execPath };
    return findInstalled(entry, place);
  };
  const resolve = (name: string): ResolvedAgent => resolveAgent(name, settings, installed(name));
  const signedIn = (name: string): SignedIn | undefined => {
    const entry = entryOf(name);
    const env = { ...environment, ...entry?.env, ...settings[name]?.env };
    return entry && findSignIn(entry.signIn[readPlatform()], env);
  };
  const isThere = (program: string | undefined): boolean =>
    program !== undefined && isProgram(program, environment['PATH']);
  const describe = (name: string, title: string, source: ListedAgent['source']): ListedAgent => {
    const version = settings[name]?.command === undefined ? installed(name)?.version : undefined;
    const isInstalled = version !== undefined || isThere(settings[name]?.command?.[0]);
    const test =
      directory === undefined || !isInstalled ? undefined : readLastTest(directory, name);
    const isOfThis = test !== undefined && test.commandHash === resolve(name).commandHash;
    return {
      name,
      title,
      source,
      isInstalled,
      version,
      signedIn: signedIn(name),
      lastTest: isOfThis ? test : undefined,
    };
  };
  return {
    resolve,
    resolveOnHost: (name) => resolveOnHost(name, settings),
    installed,
    signedIn,
    list: () => [
      ...named.map(({ name, title }) =>
        describe(name, title ?? entryOf(name)?.title ?? name, 'settings'),
      ),
      ...builtInAgents
        .filter(({ name }) => !named.some((agent) => agent.name === name))
        .map(({ name, title }) => describe(name, title, 'built-in')),
    ],
  };
}

function entryOf(name: string) {
  return builtInAgents.find((candidate) => candidate.name === name);
}
