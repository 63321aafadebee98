/*
 * One command line for two places: the same words, ids, JSON fields, error codes and exit codes on this machine and at a gateway.
 * The lines are in support/command-lines.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CommandLine,
  openBothPlaces,
  type TestPlace,
  type Told,
} from '../support/both-places.ts';
import { emptyPlace, everyStory } from '../support/command-lines.ts';
import type { Story } from '../support/story.ts';

test('every command line means the same here and at a gateway', {
  timeout: 580_000,
  concurrency: 3,
}, async (context) => {
  const places = await openBothPlaces(context);
  const tell = ({ about, lines }: Story): Promise<void> =>
    context.test(about, async ({ signal }) => {
      const tellAt = (place: TestPlace): Promise<Told[]> => told({ place, signal }, lines);
      const [here = [], there = []] = await Promise.all(places.map(tellAt));
      for (const [index, { clf, hasOwnWords }] of lines.entries()) {
        if (hasOwnWords === true) continue;
        assert.deepEqual(there[index], here[index], `at a gateway: clf ${clf}`);
      }
    });

  await tell(emptyPlace);
  await Promise.all(everyStory.map(tell));
  await context.test('a beginning of several ids is ambiguous', async () => {
    await Promise.all(places.map(checkAmbiguous));
  });
  await context.test('nothing is left running', async () => {
    await Promise.all(places.map(checkNothingLives));
  });
});

interface Teller {
  readonly place: TestPlace;
  readonly signal: AbortSignal;
}

async function told(teller: Teller, lines: readonly CommandLine[]): Promise<Told[]> {
  const answers: Told[] = [];
  for (const line of lines) {
    const answer = line.during === undefined ? await ask(teller, line) : await follow(teller, line);
    check(teller.place, line, answer);
    answers.push(answer);
  }
  return answers;
}

async function ask(teller: Teller, { clf, input, until }: CommandLine): Promise<Told> {
  const { place, signal } = teller;
  for (;;) {
    signal.throwIfAborted();
    const answer = await place.ask(clf, input);
    if (until === undefined || until.test(answer.out)) return answer;
  }
}

async function follow(teller: Teller, line: CommandLine): Promise<Told> {
  const following = teller.place.start(line.clf, line.input);
  await following.saw(line.saw ?? '');
  await told(teller, line.during ?? []);
  const { code, stdout, stderr } = await following.result;
  return { code, out: stdout, err: stderr };
}

function check({ name }: TestPlace, line: CommandLine, answer: Told): void {
  const what = `${name}: clf ${line.clf}\n${answer.out}${answer.err}`;
  assert.equal(answer.code, line.code ?? 0, what);
  for (const stream of ['out', 'err'] as const) {
    const wanted = line[stream] ?? (stream === 'out' && line.until !== undefined ? /^/ : '');
    if (typeof wanted === 'string') assert.equal(answer[stream], wanted, what);
    else assert.match(answer[stream], wanted, what);
  }
}

async function checkAmbiguous(place: TestPlace): Promise<void> {
  const beginning = await sharedBeginning(place);
  const { code, out, err } = await place.ask(`show ${beginning}`);
  assert.deepEqual([code, out], [125, '']);
  const says = `^clf: several runs match "${beginning}"\n {2}Say which: RUN \\(.*\n {2}\\(run-ambiguous\\)\n$`;
  assert.match(err, new RegExp(says));
}

/* Ids are random. There are so many by now that two of them begin alike. */
async function sharedBeginning(place: TestPlace): Promise<string> {
  const { stdout } = await place.start('ps -a -q --limit 1000').result;
  const seen = new Set<string>();
  for (const [first = ''] of stdout.split('\n').filter(Boolean)) {
    if (seen.has(first)) return first;
    seen.add(first);
  }
  return assert.fail('no two of them begin alike');
}

async function checkNothingLives(place: TestPlace): Promise<void> {
  const { out } = await place.ask('ps');
  assert.match(out, /^Nothing is running\. Finished: .*, see clf ps -a\n$/, place.name);
}
