/*
 * The command lines about terminals, and about runs without one; see command-lines.ts.
 */
import { started, megabyte, refused, type Story } from './story.ts';

export const terminals: Story = {
  about: 'a terminal: keys, a paste, its screen and its size',
  lines: [
    {
      clf: `run -d --pty --name tty -C / -- sh -c 'stty -echo; echo ready; read a; echo "got $a"; read b; echo "got $b"; read c; stty size; read d; exit 4'`,
      out: started,
    },
    { clf: 'screen -q tty', until: /ready/ },
    {
      clf: `send-keys tty Enter -l 'some text'`,
      code: 125,
      err: /^clf: --literal comes before "Enter", wherever it stands, so write it there\n/,
    },
    { clf: `send-keys tty -l 'some text' Enter` },
    { clf: 'screen -q tty', until: /^ready\ngot some text\n$/ },
    { clf: 'paste tty pasted' },
    { clf: 'send-keys --json tty Enter', out: '{"id":"RUN","bytes":1}\n' },
    { clf: 'screen -q tty', until: /got pasted/ },
    { clf: 'resize --json tty 90x31', out: '{"id":"RUN","cols":90,"rows":31}\n' },
    { clf: `input --json tty '\n'`, out: '{"id":"RUN","bytes":1}\n' },
    { clf: 'screen -q tty', until: /31 90/ },
    {
      clf: 'screen tty',
      out: 'ready\ngot some text\ngot pasted\n31 90\n',
      err: '[clf: run RUN, 90×31, cursor at row 5, column 1]\n',
    },
    {
      clf: 'screen --json tty',
      out: /^\{"id":"RUN","cols":90,"rows":31,"lines":\["ready","got some text","got pasted","31 90"/,
    },
    {
      clf: 'attach tty',
      code: 125,
      err: refused(
        'attach needs a terminal, on stdin and stdout',
        'Read it instead: clf logs -f RUN',
        'not-a-terminal',
      ),
    },
    { clf: 'send-keys tty Entre', code: 125, err: /^clf: .*Entre.*\n {2}Did you mean Enter\?/ },
    {
      clf: `paste --json tty -`,
      input: 'last\n',
      out: /^\{"id":"RUN","bytes":\d,"isBracketed":false\}\n$/,
    },
    { clf: 'wait tty', code: 4 },
    { clf: 'screen -q tty', out: /31 90/ },
    {
      clf: 'send-keys tty x',
      code: 125,
      err: refused('run RUN has ended (exit 4)', 'What it said: clf logs RUN', 'run-ended'),
    },
    {
      clf: 'resize tty 80x24',
      code: 125,
      err: refused('run RUN has ended (exit 4)', 'What it said: clf logs RUN', 'run-ended'),
    },
    {
      clf: 'attach tty',
      code: 125,
      err: refused('run RUN has ended (exit 4)', 'What it said: clf logs RUN', 'run-ended'),
    },
  ],
};

export const pipes: Story = {
  about: 'no terminal: what is refused, and attach to pipes',
  lines: [
    { clf: `run -d -i --name pipes -- sh -c 'echo ready; cat; exit 5'`, out: started },
    {
      clf: 'resize pipes 80x24',
      code: 125,
      err: refused(
        'run RUN has no terminal',
        'It was started without --pty. Its output: clf logs RUN',
        'not-a-terminal',
      ),
    },
    {
      clf: 'screen pipes',
      code: 125,
      err: refused(
        'run RUN has no terminal',
        'It was started without --pty. Its output: clf logs RUN',
        'not-a-terminal',
      ),
    },
    { clf: 'send-keys pipes -l line Enter' },
    { clf: 'logs pipes', until: /^ready\nline\n$/ },
    {
      clf: 'attach pipes',
      input: 'attached\n',
      saw: 'attached\n',
      during: [{ clf: 'input --eof pipes -', input: megabyte }],
      code: 5,
      out: `ready\nline\nattached\n${megabyte.toString()}`,
    },
    {
      clf: 'attach pipes',
      code: 125,
      err: refused('run RUN has ended (exit 5)', 'What it said: clf logs RUN', 'run-ended'),
    },
  ],
};
