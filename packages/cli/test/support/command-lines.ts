/*
 * Command lines about runs and what each of them says, wherever the run is. A story is about runs of its own.
 *
 * RUN is an id, TIME an instant, WHO the one who ended a run; see both-places.ts.
 */
import type { CommandLine } from './both-places.ts';
import { started, megabyte, refused, unknown, type Story } from './story.ts';
import { pipes, terminals } from './terminal-lines.ts';

/* Comes first: it is about a place where nothing has run yet. */
export const emptyPlace: Story = {
  about: 'a place without runs, its first run, and a name that is taken and given back',
  lines: [
    { clf: 'ps', out: 'No runs yet. Start one: clf run -d -- sleep 60\n' },
    { clf: 'run -d --name web -l team=a -C / -- sleep 1000', out: started },
    {
      clf: 'ps',
      out: /^ID +NAME +STATE +AGE +TIME +CPU +MEM +COMMAND\nRUN +web +running .* sleep 1000\n$/,
    },
    { clf: 'ps -q', out: started },
    {
      clf: 'ps --json',
      out: /^\{"id":"RUN","name":"web","state":"running","command":"sleep 1000",/,
    },
    { clf: 'ps -q -f name=web -f state=running -f label=team=a', out: started },
    { clf: 'ps -f label=team=b', out: 'No run matches. All of them: clf ps -a\n' },
    {
      clf: 'show web',
      out: /^id +RUN\nname +web\ncommand +sleep 1000\nstate +running\ndirectory ANY\nterminal +no\n/,
    },
    {
      clf: 'show --json web',
      out: /"labels":\{"team":"a","name":"web"\}|"labels":\{"name":"web","team":"a"\}/,
    },
    {
      clf: 'run -d --name web -- true',
      code: 125,
      err: refused(
        'run RUN, which lives, is called "web"',
        'Choose another name, or end it first: clf kill web',
        'name-taken',
      ),
    },
    {
      clf: 'rm web',
      code: 125,
      err: refused(
        'run RUN is still running',
        'End it first: clf kill RUN, or both at once: clf rm -f RUN',
        'run-still-alive',
      ),
    },
    { clf: 'kill web', out: 'RUN cancelled\n' },
    { clf: 'ps', out: 'Nothing is running. Finished: 1, see clf ps -a\n' },
    { clf: 'ps -q', out: '' },
    { clf: 'ps -a', out: /^ID .*\nRUN +web +cancelled .* sleep 1000\n$/ },
    { clf: 'ps -f state=cancelled -q', out: started },
    { clf: 'ps -f reason=manual-cancel -q', out: started },
    { clf: 'ps -f state=ok', out: 'No run matches. All of them: clf ps -a\n' },
    { clf: 'show web', out: /\nreason +manual-cancel\nsignal +SIGTERM\nended by +/ },
    { clf: 'run --name web -- true' },
    // None of the name lives: the newest is meant.
    {
      clf: 'show web',
      out: /^Run RUN ended by itself with exit code 0\.\nid +RUN\nname +web\ncommand +true\nstate +ok\n/,
    },
  ],
};

const logs: Story = {
  about: 'logs: both streams, the tail, since a time and a cursor, to the end',
  lines: [
    {
      clf: `run --name talk -- sh -c 'echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three'`,
      out: 'one\nthree\n',
      err: 'two\n',
    },
    { clf: 'logs talk', out: 'one\nthree\n', err: 'two\n' },
    { clf: 'logs -f talk', out: 'one\nthree\n', err: 'two\n' },
    { clf: 'logs --tail 1 talk', out: 'three\n' },
    { clf: 'logs --stdout talk', out: 'one\nthree\n' },
    { clf: 'logs --stderr talk', err: 'two\n' },
    { clf: 'logs --since 10m talk', out: 'one\nthree\n', err: 'two\n' },
    { clf: 'logs --since 2000-01-01 talk', out: 'one\nthree\n', err: 'two\n' },
    { clf: 'logs --since 2999-01-01 talk' },
    { clf: 'logs --cursor --stdout talk', out: 'one\nthree\n', err: 'cursor: CURSOR\n' },
    {
      clf: 'logs --json talk',
      out: /^\{"type":"output","stream":"stdout".*\n.*"stderr".*\n.*"stdout".*\n$/,
    },
    {
      clf: 'logs --since what.ever talk',
      code: 125,
      err: /\(cursor-invalid\)\n$/,
      hasOwnWords: true,
    },
    {
      clf: 'logs --since soon talk',
      code: 125,
      err: /^clf: --since is neither a cursor nor a time: "soon"\n/,
    },
    { clf: `run -d -i --name later -- sh -c 'echo ready; cat; exit 6'`, out: started },
    {
      clf: 'logs -f later',
      saw: 'ready\n',
      during: [
        { clf: `input later 'words\n'` },
        { clf: 'input --eof later -', input: 'the end\n' },
      ],
      out: 'ready\nwords\nthe end\n',
    },
    { clf: 'wait later', code: 6 },
    {
      clf: 'input later more',
      code: 125,
      err: refused('run RUN has ended (exit 6)', 'What it said: clf logs RUN', 'run-ended'),
    },
  ],
};

const ends: Story = {
  about: 'ends: codes, signals, time limits, and what wait and kill make of them',
  lines: [
    { clf: `run -d --name three -- sh -c 'exit 3'`, out: started },
    { clf: 'wait three', code: 3 },
    { clf: 'ps -a -q -f name=three -f state=exited', out: started },
    { clf: `ps -q -f name=three -f 'state=exit 3'`, out: started },
    { clf: 'run -d --name long -- sleep 1000', out: started },
    {
      clf: 'input long x',
      code: 125,
      err: /^clf: run RUN has no input, so nothing can be sent to it\n.* clf run -d -i -- COMMAND\n {2}\(stdin-closed\)\n$/,
    },
    { clf: 'wait --timeout 50ms long', code: 124, err: 'clf: still running after 50ms\n' },
    { clf: 'wait --timeout 50ms --json long', code: 124, out: '{"id":"RUN","exit":null}\n' },
    { clf: 'kill -s USR1 long', out: started },
    { clf: 'wait long', code: 138, err: 'clf: run RUN killed by SIGUSR1, sent by WHO\n' },
    {
      clf: 'wait --json three long',
      code: 138,
      out: /^\{"id":"RUN","exit":\{"reason":"exit","code":3,"signal":null,"exitCode":3,.*\n\{"id":"RUN","exit":\{"reason":"signal",.*\n$/,
    },
    { clf: 'kill long', out: 'RUN had already ended (SIGUSR1)\n' },
    {
      clf: 'kill -s TERM long',
      code: 125,
      err: refused('run RUN has ended (SIGUSR1)', 'What it said: clf logs RUN', 'run-ended'),
    },
    { clf: `run -- sh -c 'kill -KILL $$'`, code: 137, err: 'clf: run RUN killed by SIGKILL\n' },
    {
      clf: 'run --name slow --timeout 100ms -- sleep 600',
      code: 124,
      err: 'clf: run RUN ended after its time limit of 100ms\n',
    },
    {
      clf: 'run --idle-timeout 100ms -- sleep 600',
      code: 124,
      err: 'clf: run RUN ended after 100ms without output\n',
    },
    { clf: 'wait slow', code: 124, err: 'clf: run RUN ended after its time limit of 100ms\n' },
    { clf: 'ps -q -f name=slow -f state=timeout', out: started },
    {
      clf: 'run -d --name deaf -- sh -c \'trap "" TERM; echo on; sleep 1000 & wait; wait\'',
      out: started,
    },
    { clf: 'logs deaf', until: /on/ },
    { clf: 'kill --grace 0s deaf three', out: 'RUN cancelled\nRUN had already ended (exit 3)\n' },
    { clf: 'show deaf', out: /\nreason +manual-cancel\nsignal +SIGKILL\n/ },
  ],
};

const starts: Story = {
  about: 'the foreground: output, codes, input, and what cannot be started',
  lines: [
    { clf: `run -- sh -c 'echo out; echo err >&2; exit 3'`, code: 3, out: 'out\n', err: 'err\n' },
    { clf: 'run -- cat', input: 'given\n', out: 'given\n' },
    { clf: 'run -- wc -c', input: megabyte, out: '1048576\n' },
    { clf: 'run -n -- cat', input: 'not given\n' },
    {
      // It cannot end before it is told to have started.
      clf: 'run --json -- head -n 1',
      input: 'hi\n',
      out: /^\{"type":"started","run":\{"id":"RUN",.*\n\{"type":"output",.*\n\{"type":"exit","id":"RUN","exit":\{"reason":"exit","code":0,.*\n$/,
    },
    {
      clf: 'run -- no-such-program',
      code: 127,
      err: /^clf: no-such-program: .*\n[^]*\(spawn-failed\)\n$/,
    },
    {
      clf: 'run -- /etc/passwd',
      code: 126,
      err: /^clf: \/etc\/passwd: .*\n[^]*\(spawn-failed\)\n$/,
    },
    { clf: 'run -d -- no-such-program', code: 127, err: /\(spawn-failed\)\n$/ },
    {
      clf: 'run -C /no/such/directory -- true',
      code: 125,
      err: /\/no\/such\/directory[^]*\(spawn-failed\)\n$/,
    },
    { clf: `run -e ONE=1 -- sh -c 'echo $ONE'`, out: '1\n' },
    { clf: `run --limit-open-files 64 --nice 5 -- sh -c 'ulimit -n; nice'`, out: '64\n5\n' },
  ],
};

const leftovers: Story = {
  about: 'leftovers: kept and told, ended, or a failure',
  lines: [
    {
      clf: `run --name kept -- sh -c 'sleep 1000 & echo on'`,
      out: 'on\n',
      err: 'clf: run RUN ended and left running: sleep (PID); end them with: clf kill RUN\n',
    },
    { clf: 'ps -q -f name=kept', out: started },
    {
      clf: 'rm kept',
      code: 125,
      err: refused(
        'run RUN has left running processes',
        'End it first: clf kill RUN, or both at once: clf rm -f RUN',
        'run-still-alive',
      ),
    },
    // A newer run of the name has ended whole: the name still means what lives.
    {
      clf: 'run --name kept -- true',
      err: 'clf: warning: run RUN, called "kept" too, has ended and left running processes; end them: clf kill RUN\n',
    },
    { clf: 'show kept', out: /\ncommand +sh -c / },
    {
      clf: `run -q --name kept -- sh -c 'sleep 1000 & echo on'`,
      out: 'on\n',
    },
    {
      clf: 'kill kept',
      code: 125,
      err: /^clf: several runs match "kept"\n {2}Say which: RUN .*, RUN .*\n {2}\(run-ambiguous\)\n$/,
    },
    { clf: 'ps -q -f name=kept', out: 'RUN\nRUN\n' },
    { clf: 'rm -f kept', out: started },
    { clf: 'kill kept', out: 'RUN ok, 1 left process ended\n' },
    { clf: 'kill kept', out: 'RUN had already ended (ok)\n' },
    { clf: 'rm kept', out: started },
    { clf: 'show kept', out: /\nthey ended +TIME by WHO: 1 left process ended\n/ },
    { clf: 'rm kept', out: started },
    { clf: `run --leftovers end -- sh -c 'sleep 1000 & echo on'`, out: 'on\n' },
    {
      clf: `run --leftovers fail -- sh -c 'sleep 1000 & echo on'`,
      code: 125,
      out: 'on\n',
      err: 'clf: run RUN left processes running, which were ended (--leftovers fail)\n',
    },
  ],
};

const replaced: Story = {
  about: 'a run that takes the place of what lives under its name',
  lines: [
    { clf: 'run --replace -- true', code: 125, err: /^clf: --replace needs a name\n/ },
    { clf: 'run -d --replace --name new -- sleep 1000', out: started },
    { clf: 'run -d --replace --name new -- sleep 1001', out: started },
    { clf: 'ps -q -f name=new', out: started },
    { clf: 'show new', out: /\ncommand +sleep 1001\nstate +running\n/ },
    { clf: `run --replace -q --name new -- sh -c 'sleep 1000 & echo on'`, out: 'on\n' },
    { clf: 'run -d --replace --name new -- sleep 1002', out: started },
    { clf: 'ps -q -f name=new', out: started },
    { clf: 'ps -q -a -f name=new', out: 'RUN\nRUN\nRUN\nRUN\n' },
    { clf: 'kill new', out: 'RUN cancelled\n' },
  ],
};

const mistakes: Story = {
  about: 'unknown runs, and several runs of which some are unknown',
  lines: [
    ...['show', 'logs', 'wait', 'kill', 'screen', 'input'].map(
      (verb): CommandLine => ({ clf: `${verb} nope!`, code: 125, err: unknown('nope!') }),
    ),
    {
      clf: 'logs --json nope!',
      code: 125,
      err: /^\{"error":\{"code":"run-not-found","message":"no run is called \\"nope!\\"","hint":".*"\}\}\n$/,
    },
    { clf: 'run -d --name one -- sleep 1000', out: started },
    {
      clf: 'show onee',
      code: 125,
      err: refused('no run is called "onee"', 'Did you mean one?', 'run-not-found'),
    },
    {
      clf: 'rm --json one nope!',
      code: 125,
      out: /^\{"typed":"one","error":\{"code":"run-still-alive",.*\n\{"typed":"nope!","error":\{"code":"run-not-found",.*\n$/,
    },
    { clf: 'rm -f one', out: started },
    { clf: 'show one', code: 125, err: /^clf: no run is called "one"\n/ },
  ],
};

export const everyStory: readonly Story[] = [
  logs,
  ends,
  starts,
  leftovers,
  replaced,
  terminals,
  pipes,
  mistakes,
];
