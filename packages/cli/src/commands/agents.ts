/*
 * `clf agents ls`: the agents that a gateway can start; without one, those that a gateway of this machine would start.
 */
import { hasCode } from '@clawdfather/kit';
import { makeVisible } from '@clawdfather/tools/text';
import { openAgentsHere } from '../agents/agents-here.ts';
import type { CommandContext, Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { formatAge, formatInstant } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { type Cell, formatTable } from '../render/table.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { agentsListSpec } from './agent-specs.ts';

interface Shown {
  readonly name: string;
  readonly title: string;
  readonly source: 'settings' | 'built-in';
  readonly isInstalled: boolean;
  readonly version: string | null;
  readonly isDefault: boolean;
  readonly isSignedIn: boolean | null;
  readonly lastTest: { readonly outcome: string; readonly at: string } | null;
}

export const list: Execute<typeof agentsListSpec> = async (context) => {
  const { io } = context;
  const agents = await listThere(context);
  if (context.isJson) {
    for (const agent of agents) await io.stdout.write(jsonLine({ ...agent }));
  } else if (agents.length === 0) {
    await io.stdout.write(
      'No agents yet. Install one: clf agents install NAME. Or set agents.NAME.command in the settings of the gateway.\n',
    );
  } else {
    await io.stdout.write(tableOf(context, agents));
  }
  return codeStatus(exitOk);
};

async function listThere(context: CommandContext): Promise<readonly Shown[]> {
  try {
    return await withThreads(context, async ({ client }) => {
      const { items, default_agent: usual } = await client.agents.list();
      return items.map(
        ({ is_installed: isInstalled, is_signed_in: isSignedIn, ...agent }): Shown => {
          const { name, title, source, version, last_test: lastTest } = agent;
          const isDefault = name === usual;
          return { name, title, source, isInstalled, version, isDefault, isSignedIn, lastTest };
        },
      );
    });
  } catch (error) {
    if (!hasCode(error, 'gateway-needed')) throw error;
    return listHere(context);
  }
}

async function listHere({ config, io, isJson }: CommandContext): Promise<readonly Shown[]> {
  if (!isJson)
    await io.stderr.write('clf: no gateway runs; these are the agents of this machine\n');
  const agents = (await openAgentsHere(config, '')).list();
  const usual = config.values.defaultAgent ?? agents.find(({ isInstalled }) => isInstalled)?.name;
  return agents.map(({ name, title, source, isInstalled, version, signedIn, lastTest }) => ({
    name,
    title,
    source,
    isInstalled,
    version: version ?? null,
    isDefault: name === usual,
    isSignedIn: signedIn === undefined ? null : signedIn.kind !== 'no',
    lastTest: (lastTest && { outcome: lastTest.outcome, at: formatInstant(lastTest.atMs) }) || null,
  }));
}

function tableOf({ io, paint, clock }: CommandContext, agents: readonly Shown[]): string {
  const isSo = (is: boolean | null): Cell =>
    is === null
      ? { text: '' }
      : is
        ? { text: 'yes', paint: paint.good }
        : { text: 'no', paint: paint.dim };
  const works = ({ lastTest }: Shown): Cell => {
    if (lastTest === null) return { text: '' };
    const age = formatAge(clock.wallMs(), Date.parse(lastTest.at));
    const { outcome } = lastTest;
    const isGood = outcome === 'works';
    const text = makeVisible(`${isGood ? 'yes' : outcome} (${age})`);
    return { text, paint: isGood ? paint.good : paint.bad };
  };
  const rows = agents.map((agent) => [
    { text: makeVisible(agent.name), paint: paint.strong },
    { text: agent.isDefault ? 'yes' : '' },
    isSo(agent.isInstalled),
    isSo(agent.isSignedIn),
    works(agent),
    { text: makeVisible(agent.version ?? '') },
    { text: agent.source },
    { text: makeVisible(agent.title) },
  ]);
  const headers = [
    'NAME',
    'DEFAULT',
    'INSTALLED',
    'SIGNED IN',
    'WORKING',
    'VERSION',
    'FROM',
    'TITLE',
  ];
  const layout = {
    headers,
    paintHeader: paint.dim,
    columnsMax: io.columns(),
    dispensable: ['FROM', 'VERSION', 'TITLE'],
  };
  return formatTable(layout, rows);
}
