/*
 * The environment policy as tables: what an agent's command starts with, and what may not be added to it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loginEnvironment } from '@clawdfather/kit';
import { checkEnvAdditions } from '../../src/environment/check-additions.ts';

const isRefused = (name: string, value = 'x'): boolean =>
  checkEnvAdditions({ [name]: value }).length === 1;

/* The names that every reader expects. */
const wellKnownNames =
  `LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV BASH_FUNC_ls%%
  NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH
  GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GCONV_PATH IFS PS4 PATH`.split(/\s+/);

/* Names that do the same and are less known. */
const furtherNames =
  `PYTHONHOME PYTHONBREAKPOINT PYTHONWARNINGS PYTHONPYCACHEPREFIX PERL5DB PERLLIB RUBYLIB LUA_INIT
  LUA_INIT_5_4 PHPRC PHP_INI_SCAN_DIR JDK_JAVA_OPTIONS _JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS CLASSPATH
  GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_TRACE GIT_PAGER GIT_EDITOR GIT_ASKPASS PAGER MANPAGER SYSTEMD_PAGER EDITOR VISUAL
  BROWSER PROMPT_COMMAND SHELLOPTS BASHOPTS ZDOTDIR CDPATH npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL
  Npm_Config_node_options LESSOPEN LESSCLOSE LESS SSH_ASKPASS SSH_AUTH_SOCK GLIBC_TUNABLES LOCPATH MALLOC_TRACE
  TAR_OPTIONS RIPGREP_CONFIG_PATH OPENSSL_CONF RUSTC_WRAPPER CARGO_BUILD_RUSTC MAKEFLAGS HOME XDG_CONFIG_HOME SHELL
  KUBECONFIG DOCKER_CONFIG CLAWDFATHER_RUN_ID CLAWDFATHER_STATE_DIR CLAWDFATHER_ANYTHING ASAN_OPTIONS
  RANDOM SRANDOM OPTIND HISTCMD LANGUAGE SYSTEMD_LESS MANLESS APT_CONFIG GH_CONFIG_DIR GH_BROWSER KUBECTL_EXTERNAL_DIFF
  MAVEN_ARGS GRADLE_USER_HOME ANSIBLE_CONFIG TF_CLI_CONFIG_FILE COMPOSER_HOME NIX_CONFIG HELM_PLUGINS PYTEST_ADDOPTS ZIP`.split(
    /\s+/,
  );

const harmlessNames =
  `FOO CI DEBUG LANG LC_ALL TZ TERM COLUMNS NO_COLOR FORCE_COLOR NODE_ENV PORT DATABASE_URL
  http_proxy HTTPS_PROXY NO_PROXY CC CXX CFLAGS PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE GIT_AUTHOR_NAME
  GIT_TERMINAL_PROMPT TMPDIR CARGO_TERM_COLOR MY_TOKEN path home ld_preload`.split(/\s+/);

test('every well-known name is refused', () => {
  assert.deepEqual(
    wellKnownNames.filter((name) => !isRefused(name)),
    [],
  );
});

test('so are the other hooks of loaders, shells, interpreters and tools', () => {
  assert.deepEqual(
    furtherNames.filter((name) => !isRefused(name)),
    [],
  );
});

test('what only tells a program about its world may be added', () => {
  assert.deepEqual(
    harmlessNames.filter((name) => isRefused(name)),
    [],
  );
});

test('names that no shell reads alike are refused', () => {
  for (const name of ['', 'A=B', 'A\0B', 'A B', '1A', 'a-b', 'é', '\n', 'x()']) {
    assert.ok(isRefused(name), JSON.stringify(name));
  }
});

test('a value with a NUL is refused', () => assert.ok(isRefused('FOO', 'a\0b')));

test('a pager or an editor may be switched off, and nothing else', () => {
  for (const name of [
    'PAGER',
    'GIT_PAGER',
    'MANPAGER',
    'EDITOR',
    'GIT_EDITOR',
    'GIT_SEQUENCE_EDITOR',
  ]) {
    for (const value of ['', 'cat', 'true', ':']) assert.ok(!isRefused(name, value), name);
    for (const value of ['less', 'cat ', 'cat;id', '/tmp/cat', 'sh -c id']) {
      assert.ok(isRefused(name, value), `${name}=${value}`);
    }
  }
});

test('each refusal has its name and its reason, and never the value', () => {
  const refusals = checkEnvAdditions({ FOO: 'fine', LD_PRELOAD: 'hunter2', PATH: 'hunter2' });
  assert.deepEqual(
    refusals.map(({ name }) => name),
    ['LD_PRELOAD', 'PATH'],
  );
  assert.doesNotMatch(JSON.stringify(refusals), /hunter2/);
});

test('whatever follows a refused prefix, it is refused', () => {
  const prefix = fc.constantFrom(
    'LD_',
    'DYLD_',
    'BASH_FUNC_',
    'GIT_CONFIG_',
    'CLAWDFATHER_',
    'npm_config_',
  );
  fc.assert(
    fc.property(prefix, fc.string({ unit: 'binary' }), (start, rest) => isRefused(start + rest)),
  );
});

test('the base has what a login gives and nothing that looks like a secret', () => {
  const base = loginEnvironment({
    PATH: '/bin',
    HOME: '/srv/a',
    USER: 'a',
    LOGNAME: 'a',
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'xterm',
    TMPDIR: '/tmp',
    XDG_STATE_HOME: '/srv/a/state',
    NPM_TOKEN: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    LD_PRELOAD: '/evil.so',
    BASH_ENV: '/evil',
    CLAWDFATHER_RUN_ID: 'outer',
    gone: undefined,
  });
  assert.deepEqual(Object.keys(base).toSorted(), [
    'HOME',
    'LANG',
    'LC_ALL',
    'LOGNAME',
    'PATH',
    'SHELL',
    'TERM',
    'TMPDIR',
    'TZ',
    'USER',
    'XDG_STATE_HOME',
  ]);
});

test('the base is only ever a part of its source', () => {
  const names = fc.dictionary(fc.string({ unit: 'binary' }), fc.string());
  fc.assert(
    fc.property(names, (source) =>
      Object.entries(loginEnvironment(source)).every(([name, value]) => source[name] === value),
    ),
  );
});
