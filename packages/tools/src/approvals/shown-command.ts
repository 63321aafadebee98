/*
 * A command as lists show it and as it is remembered when the approval is over: of bounded length, with a mark where it was cut.
 * What a person decides about is never this but the stored action, whole.
 */
import { commandCharactersMax } from './approval-limits.ts';
import type { ProposedAction } from './gatekeeper.ts';

type Command = ProposedAction['command'];

const cutMark = '…';

export function cutText(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : text.slice(0, charactersMax - 1) + cutMark;
}

export function cutCommand(command: Command): Command {
  if (command.kind === 'line') {
    const shell = cutText(command.shell, commandCharactersMax);
    return { kind: 'line', shell, line: cutText(command.line, commandCharactersMax) };
  }
  let left = commandCharactersMax;
  const kept: string[] = [];
  for (const word of command.argv) {
    if (left <= 0) {
      kept.push(cutMark);
      break;
    }
    kept.push(cutText(word, left));
    // An argument without characters takes room too.
    left -= word.length + 1;
  }
  const [program = '', ...rest] = kept;
  return { kind: 'argv', argv: [program, ...rest] };
}

export function formatCommand(command: Command): string {
  return JSON.stringify(cutCommand(command));
}

/* A text that is not a command of ours was written by others and is shown as empty. What may start is checked elsewhere. */
export function parseCommand(json: string): Command {
  const parsed = readJson(json) as {
    kind?: unknown;
    shell?: unknown;
    line?: unknown;
    argv?: unknown;
  };
  const { kind, shell, line, argv } = parsed;
  if (kind === 'line' && typeof shell === 'string' && typeof line === 'string') {
    return { kind, shell, line };
  }
  const words = Array.isArray(argv) ? argv.filter((word) => typeof word === 'string') : [];
  const [program = '', ...rest] = words;
  return { kind: 'argv', argv: [program, ...rest] };
}

export function commandText(command: Command): string {
  return command.kind === 'line' ? command.line : command.argv.join(' ');
}

function readJson(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // Changed by others: see above.
    return {};
  }
}
