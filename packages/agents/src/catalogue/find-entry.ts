/*
 * An agent by its name, or an error that names the one that was probably meant.
 */
import { suggestNearest } from '@clawdfather/kit';
import { AgentsError } from '../errors.ts';
import type { CatalogueEntry } from './agent-entry.ts';

export function findEntry(name: string, catalogue: readonly CatalogueEntry[]): CatalogueEntry {
  const entry = catalogue.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  throw unknownAgent(
    name,
    catalogue.map((candidate) => candidate.name),
  );
}

export function unknownAgent(name: string, known: readonly string[]): AgentsError {
  const nearest = suggestNearest(name, known);
  return new AgentsError('agent-unknown', `there is no agent ${JSON.stringify(name)}`, {
    detail: { known, ...(nearest === undefined ? {} : { nearest }) },
    hint:
      nearest === undefined
        ? `one of ${known.join(', ')}; or configure one: agents.NAME.command`
        : `did you mean ${nearest}?`,
  });
}
