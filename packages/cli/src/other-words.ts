/*
 * What people type who know other programs (docker, pm2, systemctl, tmux), and the command line that does it here. These words are not
 * other names of commands: each is answered with what to write, and nothing is done.
 */

/* RUN stands for the name that was typed, if one was. */
const answers: Readonly<Record<string, string>> = {
  start:
    'A run that has ended is not started again; a new one is: clf run -d --name RUN -- COMMAND',
  restart:
    'Nothing keeps the command for a second start. To end the run and start it anew: ' +
    'clf run -d --replace --name RUN -- COMMAND',
  env: 'The environment of a run is set when it starts: clf run -e NAME=VALUE -- COMMAND',
  tail: 'The end of the output, and what comes: clf logs -f --tail 10 RUN',
  inspect: 'Everything about one run: clf show RUN',
  send: "Keys and text: clf send-keys RUN -l 'some text' Enter. Bytes: clf input RUN TEXT",
  stats: 'What runs use: clf top, or once: clf top --once',
};

/* The word after one of these names no run. */
const gatewayFlags = ['-g', '--gateway'];

/* `rest` is what was typed behind the word. */
export function answerToWord(word: string, rest: readonly string[]): string | undefined {
  const answer = Object.hasOwn(answers, word) ? answers[word] : undefined;
  const typed = rest.find(
    (one, at) =>
      /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(one) && !gatewayFlags.includes(rest[at - 1] ?? ''),
  );
  return answer?.replace('RUN', typed ?? 'RUN');
}
