/*
 * A conversation as it is shown while it happens: the agent's text on stdout, and on stderr one line per tool, its thoughts, and what we
 * have to say. Pure: events go in, pieces of text come out.
 *
 * - Into a pipe or a file the text goes exactly as the agent wrote it, and each of its messages ends with a newline. A terminal gets
 *   it without escape sequences and direction controls.
 * - Nothing of ours stands in the middle of a line of the agent's where both are on one terminal.
 * - A tool has one line. On a terminal it is there from the start and is finished with how the tool ended, unless something else came
 *   in between; elsewhere it comes with the end.
 */
import { createTextCleaner, type TextCleaner } from '@clawdfather/tools';
import { fitColumns, makeVisible } from '@clawdfather/tools/text';
import type { Paint } from '../render/paint.ts';
import { PlanLines } from './plan-lines.ts';
import type { PlanEntry, ThreadFact } from './thread-fact.ts';

export interface Piece {
  readonly to: 'stdout' | 'stderr';
  readonly text: string;
}

export interface TranscriptOptions {
  readonly isOutTerminal: boolean;
  readonly isErrTerminal: boolean;
  /* Of stderr. */
  readonly paint: Paint;
  /* Of the terminal. */
  readonly columns: number | undefined;
  /* Also what people say. */
  readonly showsPrompts: boolean;
}

interface Tool {
  readonly title: string;
  readonly isEnded: boolean;
}

const marginColumns = 12;

export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #isShared: boolean;
  readonly #text: TextFlow;
  readonly #thought: TextFlow;
  readonly #tools = new Map<string, Tool>();
  readonly #plans = new PlanLines();
  /* Where the cursor stands in the middle of a line. */
  #isOutOpen = false;
  #errOpen: { readonly tool: string } | 'thought' | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#isShared = options.isOutTerminal && options.isErrTerminal;
    this.#text = createTextFlow(options.isOutTerminal);
    this.#thought = createTextFlow(true);
  }

  take(fact: ThreadFact): readonly Piece[] {
    switch (fact.kind) {
      case 'text':
        return this.#delta(fact.role, fact.text);
      case 'message-end':
        if (fact.role === 'agent') return this.#endText();
        return this.#errOpen === 'thought' ? this.#endErrLine() : [];
      case 'block':
        return fact.role === 'agent' ? this.note(`[${makeVisible(fact.type)}]\n`) : [];
      case 'prompt':
        return this.#options.showsPrompts ? this.note(formatPrompt(fact.text)) : [];
      case 'tool':
        return this.#tool(fact);
      case 'plan':
        return this.#plan(fact.entries);
      case 'turn-end':
        return this.#endTurn();
      case 'ask':
      case 'notice':
        return [];
    }
  }

  /* A whole line, or several, on stderr. */
  note(text: string): readonly Piece[] {
    return [...this.#beginErrLine(), { to: 'stderr', text }];
  }

  #delta(role: 'agent' | 'thought' | 'user', text: string): readonly Piece[] {
    if (role === 'user') return [];
    if (role === 'thought') return this.#isShared ? this.#think(text) : [];
    const shown = this.#text.push(text);
    if (shown === '') return [];
    const before = this.#isShared ? this.#endErrLine() : [];
    this.#isOutOpen = !shown.endsWith('\n');
    return [...before, { to: 'stdout', text: shown }];
  }

  #think(text: string): readonly Piece[] {
    const shown = this.#thought.push(text);
    if (shown === '') return [];
    const before = this.#errOpen === 'thought' ? [] : this.#beginErrLine();
    this.#errOpen = shown.endsWith('\n') ? undefined : 'thought';
    return [...before, { to: 'stderr', text: this.#options.paint.dim(shown) }];
  }

  #tool({ id, title, status }: Extract<ThreadFact, { kind: 'tool' }>): readonly Piece[] {
    const known = this.#tools.get(id);
    if (known?.isEnded === true) return [];
    const name = title ?? known?.title ?? 'a tool';
    const isEnded = status === 'completed' || status === 'failed';
    this.#tools.set(id, { title: name, isEnded });
    if (isEnded) return this.#toolEnd(id, name, status === 'completed' ? 'ok' : 'failed');
    if (known !== undefined || !this.#options.isErrTerminal) return [];
    const line = { to: 'stderr', text: this.#toolLine(name) } as const;
    const pieces = [...this.#beginErrLine(), line];
    this.#errOpen = { tool: id };
    return pieces;
  }

  #plan(entries: readonly PlanEntry[]): readonly Piece[] {
    const lines = this.#plans.take(entries);
    if (lines.length === 0) return [];
    return this.note(lines.map((line) => `${this.#options.paint.dim(line)}\n`).join(''));
  }

  #toolEnd(id: string, title: string, end: 'ok' | 'failed' | 'not ended'): readonly Piece[] {
    const { good, bad } = this.#options.paint;
    const word = end === 'ok' ? good(end) : bad(end);
    if (typeof this.#errOpen === 'object' && this.#errOpen.tool === id) {
      this.#errOpen = undefined;
      return [{ to: 'stderr', text: `: ${word}\n` }];
    }
    return this.note(`${this.#toolLine(title)}: ${word}\n`);
  }

  #toolLine(title: string): string {
    const { columns, paint } = this.#options;
    const shown = makeVisible(title);
    const most =
      columns === undefined ? undefined : Math.max(marginColumns, columns - marginColumns);
    return paint.dim(`> ${most === undefined ? shown : fitColumns(shown, most)}`);
  }

  #endText(): readonly Piece[] {
    const rest = this.#text.end();
    const pieces: Piece[] = rest === '' ? [] : [{ to: 'stdout', text: rest }];
    if (rest !== '') this.#isOutOpen = !rest.endsWith('\n');
    if (this.#isOutOpen) pieces.push({ to: 'stdout', text: '\n' });
    this.#isOutOpen = false;
    return pieces;
  }

  /* What was left open is closed, and told. */
  #endTurn(): readonly Piece[] {
    const pieces = [...this.#endText(), ...this.#endErrLine()];
    for (const [id, { title, isEnded }] of this.#tools) {
      if (!isEnded) pieces.push(...this.#toolEnd(id, title, 'not ended'));
    }
    this.#tools.clear();
    return pieces;
  }

  #beginErrLine(): readonly Piece[] {
    if (this.#isShared && this.#isOutOpen) {
      this.#isOutOpen = false;
      return [{ to: 'stdout', text: '\n' }];
    }
    return this.#endErrLine();
  }

  #endErrLine(): readonly Piece[] {
    if (this.#errOpen === undefined) return [];
    this.#errOpen = undefined;
    this.#thought.end();
    return [{ to: 'stderr', text: '\n' }];
  }
}

/* Each line of it has a mark, so that none passes for one of ours. */
export function formatPrompt(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return `${lines.map((line) => `< ${makeVisible(line)}`).join('\n')}\n`;
}

interface TextFlow {
  push(text: string): string;
  /* What was held back. */
  end(): string;
}

/* Agents cut their texts anywhere, also in the middle of a character. */
function createTextFlow(isCleaned: boolean): TextFlow {
  const cleaner: TextCleaner | undefined = isCleaned ? createTextCleaner() : undefined;
  let half = '';
  return {
    push: (text) => {
      const whole = half + text;
      const isCut = /[\uD800-\uDBFF]$/.test(whole);
      half = isCut ? whole.slice(-1) : '';
      const certain = isCut ? whole.slice(0, -1) : whole;
      return cleaner === undefined ? certain : cleaner.push(Buffer.from(certain));
    },
    end: () => {
      const rest = half;
      half = '';
      if (cleaner === undefined) return rest;
      return cleaner.push(Buffer.from(rest)) + cleaner.end();
    },
  };
}

/* A text from beginning to end, as a terminal may be shown it. */
export function cleanText(text: string): string {
  const flow = createTextFlow(true);
  return flow.push(text) + flow.end();
}
