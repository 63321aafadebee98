/*
 * `clf agents ls`: the agents that a gateway can start.
 */
import type { Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatTable } from '../render/table.ts';
import { withThreads } from '../threads/with-threads.ts';
import type { agentsListSpec } from './agent-specs.ts';

type Agent = Awaited<ReturnType<Client['agents']['list']>>['items'][number];

export const list: Execute<typeof agentsListSpec> = (context) =>
  withThreads(context, async ({ client }) => {
    const { io, paint } = context;
    const { items, default_agent: usual } = await client.agents.list();
    const isDefault = ({ name }: Agent): boolean => name === usual;
    if (context.isJson) {
      for (const agent of items) {
        const { name, title, source, is_installed: isInstalled, version } = agent;
        const facts = { name, title, source, isInstalled, version, isDefault: isDefault(agent) };
        await io.stdout.write(jsonLine(facts));
      }
    } else if (items.length === 0) {
      await io.stdout.write(
        'No agents yet. Install one: clf agents install NAME. Or set agents.NAME.command in the settings of the gateway.\n',
      );
    } else {
      const rows = items.map((agent) => [
        { text: makeVisible(agent.name), paint: paint.strong },
        { text: isDefault(agent) ? 'yes' : '' },
        agent.is_installed ? { text: 'yes', paint: paint.good } : { text: 'no', paint: paint.dim },
        { text: makeVisible(agent.version ?? '') },
        { text: agent.source },
        { text: makeVisible(agent.title) },
      ]);
      const headers = ['NAME', 'DEFAULT', 'INSTALLED', 'VERSION', 'FROM', 'TITLE'];
      const layout = {
        headers,
        paintHeader: paint.dim,
        columnsMax: io.columns(),
        dispensable: ['FROM', 'VERSION'],
      };
      await io.stdout.write(formatTable(layout, rows));
    }
    return codeStatus(exitOk);
  });
