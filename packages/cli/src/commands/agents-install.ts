/*
 * `clf agents install` and `clf agents rm`: built-in agents on this machine, where a gateway finds them at its next question.
 */
import { type InstallPlace, type InstallProgress, loadAgents } from '../agents/load-agents.ts';
import type { CommandContext, Execute } from '../command.ts';
import { agentsDirectory } from '../config/agents-directory.ts';
import { usageError } from '../errors.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import type { agentsInstallSpec, agentsRemoveSpec } from './agent-specs.ts';

export const install: Execute<typeof agentsInstallSpec> = async (context) => {
  const { config, random, io, isJson } = context;
  const { builtInAgents, findEntry, findInstalled, installAgent } = await loadAgents();
  const place = await placeOf(context);
  // A name that is wrong is told before anything is fetched.
  const entries = context.operands.agents.map((name) => {
    if (builtInAgents.every((entry) => entry.name !== name)) refuseConfigured(config, name);
    return findEntry(name, builtInAgents);
  });
  for (const entry of entries) {
    const wasThere = findInstalled(entry, place) !== undefined;
    const tell = createTeller(context, entry.title);
    const { env } = config;
    const installed = await installAgent(entry, { ...place, env, random, onProgress: tell.step });
    await tell.end();
    const { name, version } = installed;
    const isNew = !wasThere;
    await io.stdout.write(
      isJson
        ? jsonLine({ name, version, isNew })
        : `${name} ${version} ${isNew ? 'is installed' : 'was installed already'}\n`,
    );
  }
  if (!isJson) {
    const [first] = entries;
    await io.stderr.write(`clf: ask it: clf ask --agent ${first?.name ?? 'NAME'} "…"\n`);
  }
  return codeStatus(exitOk);
};

/* What is configured is listed as an agent, so it is not unknown. */
function refuseConfigured({ values }: CommandContext['config'], name: string): void {
  if (values.agents.every((agent) => agent.name !== name)) return;
  throw usageError(
    `${name} is not built in, so there is nothing to install: it is what agents.${name}.command says`,
    `Try it: clf agents test ${name}`,
  );
}

export const remove: Execute<typeof agentsRemoveSpec> = async (context) => {
  const { random, io, isJson } = context;
  const { builtInAgents, findEntry, removeInstalled } = await loadAgents();
  const { directory } = await placeOf(context);
  for (const name of context.operands.agents) {
    findEntry(name, builtInAgents);
    const removed = await removeInstalled(name, { directory, random });
    const isRemoved = removed.length > 0;
    await io.stdout.write(
      isJson
        ? jsonLine({ name, isRemoved })
        : `${name} ${isRemoved ? 'is removed' : 'was not installed'}\n`,
    );
  }
  return codeStatus(exitOk);
};

async function placeOf({ config }: Pick<CommandContext, 'config'>): Promise<InstallPlace> {
  const { readPlatform } = await loadAgents();
  return {
    directory: agentsDirectory(config),
    platform: readPlatform(),
    node: process.execPath,
  };
}

/* One line at a terminal, which is written over; else a line for each stage. */
function createTeller({ io, isJson }: CommandContext, title: string) {
  const { stderr } = io;
  let last = '';
  const write = (text: string): void => void stderr.write(text).catch(() => {});
  return {
    step: (progress: InstallProgress): void => {
      if (isJson) return;
      const text = `${title}: ${wordsOf(progress)}`;
      if (stderr.isTerminal) write(`\r\u001b[K${text}`);
      else if (progress.stage !== last) write(`${text}\n`);
      last = progress.stage;
    },
    end: async (): Promise<void> => {
      if (!isJson && stderr.isTerminal && last !== '') await stderr.write('\r\u001b[K');
    },
  };
}

function wordsOf(progress: InstallProgress): string {
  switch (progress.stage) {
    case 'prepare':
      return 'asking npm …';
    case 'fetch':
      return `${progress.packages} package${progress.packages === 1 ? '' : 's'} fetched …`;
    case 'check':
      return 'checking every file …';
    case 'publish':
      return 'putting it in place …';
  }
}
