/*
 * The last line of what a run has said, for lists: of its last KiB of output, and no more, however long it is.
 *
 * A list is asked for again and again, so a line is read once: when more has been said, and never again when nothing of the run lives.
 */
import { makeRoom } from '@clawdfather/kit';
import type { RunRecord, Supervisor } from '@clawdfather/supervisor';
import type { RunActions, ToolCall } from '@clawdfather/tools';
import { formatTime } from '../http/format-time.ts';
import type { RunJson } from './run-json.ts';

export interface LastLineDeps {
  readonly actions: Pick<RunActions, 'log'>;
  readonly supervisor: Pick<Supervisor, 'outputTail'>;
}

type LastLineJson = Pick<RunJson, 'lastLine'> & Partial<Pick<RunJson, 'lastOutputAt'>>;

export interface LastLines {
  /* Empty where the journal cannot be read: that is no reason to show no list. */
  of(deps: LastLineDeps, record: RunRecord, call: ToolCall): Promise<LastLineJson>;
}

/* What fits a row of a list, and more. */
const charactersMax = 240;
/* Those of ended runs stay, so that people who go through pages of them do not read them again; half a kilobyte each. */
const linesMax = 2_048;
/* More than any tail has, as text. */
const textCharactersMax = 4_096;

interface KnownLine {
  /* What it was read from: the output up to there, and whether more may come. */
  readonly end: string | undefined;
  readonly isOver: boolean;
  readonly json: LastLineJson;
}

/* One for a gateway. A line is handed only to those who see the run: they are asked for with its record. */
export function createLastLines(): LastLines {
  const lines = new Map<string, KnownLine>();
  const read = async (
    { actions, supervisor }: LastLineDeps,
    record: RunRecord,
    call: ToolCall,
  ): Promise<LastLineJson> => {
    const { runId } = record;
    const known = lines.get(runId);
    const isOver = record.treeEndedAtMs !== undefined;
    if (isOver && known?.isOver === true) return known.json;
    const tail = await supervisor.outputTail(record, call.breathe);
    if (known !== undefined && known.end === tail?.end && known.isOver === isOver) {
      return known.json;
    }
    const lastOutputAt = formatTime(tail?.atMs ?? record.lastOutputAtMs);
    const remember = (lastLine: string | null): LastLineJson => {
      const json = { lastLine, lastOutputAt };
      lines.delete(runId);
      makeRoom(lines, linesMax);
      lines.set(runId, { end: tail?.end, isOver, json });
      return json;
    };
    if (tail === undefined) return remember(null);
    await call.breathe?.();
    const bounds = { outputCharactersMax: textCharactersMax, untilCursor: tail.end };
    const asked = { runId, cursor: tail.start, encoding: 'text' } as const;
    const { text } = await actions.log(asked, { ...call, ...bounds });
    return remember(lastLineOf(text));
  };
  return {
    of: async (deps, record, call) => {
      try {
        return await read(deps, record, call);
      } catch {
        return {};
      }
    },
  };
}

/* A progress bar writes its line again and again: its newest state is shown. */
export function lastLineOf(text: string): string | null {
  const lines = text.split(/[\r\n]+/);
  const line = lines.map((one) => one.replace(sequences, '').trim()).findLast((one) => one !== '');
  return line === undefined ? null : Array.from(line).slice(0, charactersMax).join('');
}

/*
 * What is left of escape sequences: those that end beyond what was read, and those that a terminal has echoed with their ESC as two
 * characters (`^[`), such as its own answer to a program that has asked what it can do. A string goes on to its end, or to that of the line.
 */
const sequences =
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  /(?:\u001b|\^\[)(?:[\]PX^_].*?(?:\u0007|\^G|(?:\u001b|\^\[)\\|$)|\[[0-?]*[ -/]*(?:[@-~]|$)|[ -/]*(?:[0-OQ-WYZ\\`-~]|$))/g;
