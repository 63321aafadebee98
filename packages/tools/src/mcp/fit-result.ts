/*
 * Results that fit a context window, whatever they are about.
 *
 * Output is capped where it is read (`outputCharactersMax`). What is left are lists whose length or parts we do not
 * decide: runs with long commands, screens of a thousand columns, trees of a thousand processes. They are cut here,
 * and what was cut is said.
 */
import type { ExecResult, ProcessResult } from '@clawdfather/protocol';
import { askedCommand } from './asked-command.ts';
import { resultCharactersMax } from './limits.ts';

/* Enough to recognise a command by. */
const commandCharactersMax = 200;
/* More are not ended one by one; `kill` ends them all. */
const processesMax = 50;
/* JSON around the fields of a run in a list. */
const runOverheadCharacters = 300;

export function fitResult<Result extends ExecResult | ProcessResult>(result: Result): Result;
export function fitResult(result: ExecResult | ProcessResult): ExecResult | ProcessResult {
  if ('runs' in result) return fitList(result);
  if ('action' in result && result.action === 'screen') return fitScreen(result);
  if ('leftovers' in result) {
    return {
      ...result,
      leftovers: result.leftovers.slice(0, processesMax),
      notes: notesOf(result),
    };
  }
  return 'survivors' in result
    ? { ...result, survivors: result.survivors.slice(0, processesMax) }
    : result;
}

type Finished = Extract<ExecResult, { readonly status: 'completed' | 'failed' }>;

function notesOf({ leftovers, notes }: Finished): string[] {
  const more = leftovers.length - processesMax;
  return more > 0 ? [...notes, `it left ${more} more processes running than are named`] : notes;
}

function fitList(result: Extract<ProcessResult, { readonly action: 'list' }>) {
  const runs: typeof result.runs = [];
  let characters = 0;
  for (const run of result.runs) {
    const command = fitText(askedCommand(run.command), commandCharactersMax);
    const fitted = { ...run, command };
    characters += runOverheadCharacters + fitted.command.length + run.cwd.length;
    if (characters > resultCharactersMax) return { ...result, runs, isMore: true };
    runs.push(fitted);
  }
  return { ...result, runs };
}

/* The bottom: there the prompt is. */
function fitScreen(result: Extract<ProcessResult, { readonly action: 'screen' }>) {
  let characters = 0;
  const cut = result.lines.findLastIndex((line) => {
    characters += line.length + 1;
    return characters > resultCharactersMax;
  });
  if (cut === -1) return result;
  const lines = result.lines.map((line, index) => (index > cut ? line : ''));
  return { ...result, lines };
}

export function fitText(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}
