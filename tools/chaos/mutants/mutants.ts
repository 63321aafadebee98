/*
 * Mistakes that the tests of turns have to catch, each as one change of one module.
 */
export interface Mutant {
  readonly name: string;
  /* How its path ends. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: 'the cursor is not compared',
    file: 'agents/src/decide/consume.ts',
    from: 'if (run.cursor !== batch.from) return',
    to: 'if (run.cursor === undefined) return',
  },
  {
    name: 'ids of our calls begin anew with every owner',
    file: 'agents/src/decide/agent-run.ts',
    from: 'draft.changeRun({ epoch,',
    to: 'draft.changeRun({ nextCallId: 1, epoch,',
  },
  {
    name: 'cards have random ids',
    file: 'agents/src/decide/take-request.ts',
    from: 'update(`${runId}\\0${cursor}`)',
    to: 'update(`${Math.random()}`)',
  },
  {
    name: 'what was committed counts as delivered',
    file: 'threads/src/agent-hold.ts',
    from: 'let delivered = start.acceptedInput;',
    to: 'let delivered = deps.rows.known?.run?.nextInputOffset ?? 0;',
  },
  {
    name: 'an answer is sent before it is committed',
    file: 'threads/src/create-threads.ts',
    from: `  { recordsOf, clock }: ThreadsDeps,
  actors: Actors,
  reply: AskedReply & { readonly accountId: AccountId; readonly askId: string },
): Promise<void> {`,
    to: `  { recordsOf, clock, supervisor }: ThreadsDeps,
  actors: Actors,
  reply: AskedReply & { readonly accountId: AccountId; readonly askId: string },
): Promise<void> {
  const early = await recordsOf(reply.accountId).ask(reply.askId);
  if (early !== undefined) {
    const rows = await actors.of({ accountId: reply.accountId, id: early.threadId }).rows.read();
    const step = answerAsk(rows, reply, clock.wallMs());
    const run = await supervisor.attach(early.runId);
    if (step.outcome === 'answered') {
      for (const { text, inputOffset } of step.change.frames) await run.write(text, { offset: inputOffset });
    }
  }`,
  },
  {
    name: 'what an agent said is acknowledged before it is committed',
    file: 'threads/src/agent-hold.ts',
    from: "    let outcome: ConsumeStep['outcome'] = 'consumed';\n",
    to: "    let outcome: ConsumeStep['outcome'] = 'consumed';\n    await run.acknowledge(last.cursor).catch(() => {});\n",
  },
  {
    name: 'the epoch is not compared',
    file: 'agents/src/decide/consume.ts',
    from: ' || run.epoch !== batch.epoch',
    to: '',
  },
  {
    name: 'stderr is stored before the message around it',
    file: 'agents/src/wire/wire-reader.ts',
    from: 'return this.#line.bytes() > 0 ? [] : [this.#edge(cursor, undefined)];',
    to: 'return [this.#edge(cursor, undefined)];',
  },
  {
    name: 'a new owner reads from the beginning and takes it for new',
    file: 'threads/src/agent-hold.ts',
    from: 'done: read(deps, start.cursor, signal),',
    to: "done: read(deps, '0.0' as typeof start.cursor, signal),",
  },
  {
    name: 'a deadline is judged by the clock on the wall',
    file: 'agents/src/decide/settle-call.ts',
    from: 'if (atMs > deadlineAtMs && ',
    to: 'if (draft.atMs > deadlineAtMs && ',
  },
  {
    name: 'an end is not final',
    file: 'agents/src/turn/next-turn.ts',
    from: "return state.status === 'running' ? nextOfRunning(state, event) : unchanged;",
    to: 'return nextOfRunning(state, event);',
  },
  {
    name: 'an ask that was answered without a gateway is asked again',
    file: 'agents/src/rows.ts',
    from: "state === 'acting' || notedAheadAtMs !== undefined;",
    to: "state === 'acting';",
  },
  {
    name: 'withdrawing an ask withdraws a later one with the same wire id',
    file: 'agents/src/decide/take-request.ts',
    from: ' && ask.notedAheadAtMs === undefined;',
    to: ';',
  },
  {
    name: 'an answer without a gateway does not mind what others committed',
    file: 'agents/src/asks/asks-here.ts',
    from: "if ((await records.commit(rows, step.change, [audit])) === 'conflict') continue;",
    to: 'await records.commit(rows, step.change, [audit]);',
  },
  {
    name: 'an agent that does not take its mode is prompted all the same',
    file: 'agents/src/decide/choosing.ts',
    from: 'if (mayLimit(choice)) {',
    to: 'if (key === value) {',
  },
  {
    name: 'a call that was given up is taken for one that has no effect',
    file: 'agents/src/choices/judge-wish.ts',
    from: 'return !(setting?.late ?? []).some(',
    to: 'return true || !(setting?.late ?? []).some(',
  },
  {
    name: 'an agent that never answers is told again before every prompt, although nothing is chosen',
    file: 'agents/src/choices/judge-wish.ts',
    from: 'return isBack && choice !== undefined',
    to: 'return false && choice !== undefined',
  },
  {
    name: 'what a person chooses while a value is set is taken for what was tried',
    file: 'agents/src/choices/judge-wish.ts',
    from: ' && one.value === value,',
    to: ',',
  },
];
