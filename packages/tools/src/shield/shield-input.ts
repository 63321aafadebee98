/*
 * A start with a shield around it and, where it is to have them, our tools in it.
 */
import { join } from 'node:path';
import {
  shieldVariable,
  toolsDirInside,
  toolsSocketName,
  toolsVariable,
} from '@clawdfather/protocol';
import type { SpawnInput } from '@clawdfather/supervisor';
import { shieldLabel, toolsLabel } from '@clawdfather/supervisor/origins';
import type { LetIn } from '../context.ts';
import type { ServedRun, ToolServers } from '../tool-server/tool-servers.ts';
import type { Shield, ShieldPlace } from './create-shield.ts';

export interface Surroundings {
  readonly shield: Pick<Shield, 'describe' | 'state' | 'settings'>;
  /* Undefined: it has no tools. */
  readonly toolServers: ToolServers | undefined;
}

export interface LetInPlace extends Omit<ShieldPlace, 'toolsDir' | 'sshDir'> {
  readonly letIn?: LetIn | undefined;
}

/*
 * With tools, the start needs its id: the socket is its own (TS1). Without a shield, which only `off` allows, the socket is named
 * where it lies.
 */
export async function shieldInput(
  { shield, toolServers }: Surroundings,
  input: SpawnInput,
  { letIn, ...around }: LetInPlace,
): Promise<SpawnInput> {
  const place = { ...around, sshDir: letIn?.directory };
  // What is refused is refused before a server starts.
  await shield.describe(place);
  const toolsDir = await toolServers?.open(servedRun(input));
  const description = await shield.describe({ ...place, toolsDir });
  const { level } = await shield.state();
  const isOff = shield.settings.mode === 'off';
  const isLetIn = toolsDir !== undefined && description?.steps !== undefined;
  const letInEnvironment = description?.steps === undefined ? {} : letIn?.environment;
  const inside = isLetIn ? toolsDirInside : toolsDir;
  return {
    ...input,
    ...(description === undefined ? {} : { shield: description }),
    labels: {
      ...input.labels,
      ...(isOff ? {} : { [shieldLabel]: level }),
      ...(toolsDir === undefined ? {} : { [toolsLabel]: 'served' }),
    },
    env: {
      ...input.env,
      ...letInEnvironment,
      ...(description === undefined ? {} : { [shieldVariable]: level }),
      ...(inside === undefined ? {} : { [toolsVariable]: join(inside, toolsSocketName) }),
    },
  };
}

function servedRun({ runId, labels = {}, ...input }: SpawnInput): ServedRun {
  if (runId === undefined) throw new TypeError('a run with tools has an id before it starts');
  return { ...input, runId, labels };
}
