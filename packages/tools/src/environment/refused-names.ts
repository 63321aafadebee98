/*
 * Environment variables that a caller may not set for a command, with the reason of each group.
 *
 * The rule: refused is what makes a program that was looked at and allowed run, load or write something else. An
 * approval names a program and its arguments; a variable that turns `less` into a shell would make that name a lie.
 * Not refused is what only tells a program about its world (locale, proxies, terminals, colours), and what steers programs that
 * run a project's own files by design (`CC` for make): there it adds nothing.
 *
 * Being broad costs little: an agent that needs such a variable writes it into the shell line (`HOME=/x tool`), which is not on any
 * allowlist and is shown to a person.
 *
 * Names are compared as they are written, since the kernel does. npm reads its own in any case.
 */

export interface RefusedGroup {
  /* Completes "NAME …". */
  readonly why: string;
  readonly names?: readonly string[];
  readonly prefixes?: readonly string[];
  /* Endings, for families named by their last word. */
  readonly suffixes?: readonly string[];
  /* Members of the family that do no harm. */
  readonly except?: readonly string[];
  /* Values with which it does no harm, since `cat` and `true` run nothing. */
  readonly harmlessValues?: readonly string[];
  readonly isAnyCase?: boolean;
}

/* How people switch pagers and editors off. */
const switchedOff = ['', 'cat', 'true', 'false', ':'];

export const refusedGroups: readonly RefusedGroup[] = [
  { why: 'is how runs are told apart and found', prefixes: ['CLAWDFATHER_'] },
  {
    why: 'changes which program a name means',
    names: ['PATH', 'EXECIGNORE', 'CDPATH', 'JAVA_HOME', 'GOROOT', 'GOTOOLDIR', 'SHELL'],
  },
  {
    /* With another home a program finds other settings, and many settings name commands: git's alias and pager, ssh's ProxyCommand. */
    why: 'changes where programs find their settings, and settings name commands',
    names: [
      'HOME',
      'KUBECONFIG',
      'CURL_HOME',
      'WGETRC',
      'NETRC',
      'PSQLRC',
      'PGSYSCONFDIR',
      'GNUPGHOME',
      'APT_CONFIG',
      'GH_CONFIG_DIR',
      'GRADLE_USER_HOME',
    ],
    prefixes: [
      'XDG_',
      'DOCKER_',
      'HG',
      'KRB5_',
      'BUNDLE_',
      'AWS_CONFIG',
      'AWS_SHARED',
      'CLOUDSDK_',
      'ANSIBLE_',
      'COMPOSER_',
      'HELM_',
      'NIX_',
      'TF_CLI_',
    ],
  },
  {
    /* LD_* and DYLD_*: code in every process. The rest is what glibc itself drops for setuid programs. */
    why: 'makes the loader or the C library load or write other files',
    names: [
      'GCONV_PATH',
      'GETCONF_DIR',
      'GLIBC_TUNABLES',
      'HOSTALIASES',
      'LANGUAGE' /* may be a path: messages from elsewhere are formats for printf */,
      'LIBPATH',
      'LOCALDOMAIN',
      'LOCPATH',
      'MALLOC_TRACE',
      'NIS_PATH',
      'NLSPATH',
      'RESOLV_HOST_CONF',
      'RES_OPTIONS',
      'SHLIB_PATH',
      'TERMCAP',
      'TERMPATH',
      'TZDIR',
    ],
    prefixes: ['LD_', 'DYLD_', 'TERMINFO'],
  },
  {
    why: 'makes a library load modules from elsewhere',
    names: [
      'GIO_MODULE_DIR',
      'GIO_EXTRA_MODULES',
      'GTK_MODULES',
      'GTK_PATH',
      'LIBGL_DRIVERS_PATH',
      'LIBVA_DRIVERS_PATH',
      'QT_PLUGIN_PATH',
      'SASL_PATH',
    ],
    prefixes: ['OPENSSL_', 'GST_PLUGIN_', 'VK_', 'MAGICK_'],
  },
  {
    why: 'makes a shell run or read something else than the line it was given',
    names: [
      'ENV',
      'FPATH',
      'GLOBIGNORE',
      'IFS',
      'INPUTRC',
      'POSIXLY_CORRECT',
      'PROMPT',
      'PROMPT_COMMAND',
      'PS0',
      'PS1',
      'PS2',
      'PS3',
      'PS4',
      'SHELLOPTS',
      'ZDOTDIR',
    ],
    /* BASH_ENV, BASH_FUNC_…, BASH_LOADABLES_PATH, BASHOPTS, BASH_XTRACEFD. */
    prefixes: ['BASH', 'ZSH', 'fish_'],
  },
  {
    /* `RANDOM='a[$(cmd)]'` runs cmd. The first four do today; the others are numbers as well, and versions differ. */
    why: 'is a number to bash, which works out whatever it is set to and runs what it finds there',
    names: [
      'HISTCMD',
      'OPTIND',
      'RANDOM',
      'SRANDOM',
      'EPOCHREALTIME',
      'EPOCHSECONDS',
      'EUID',
      'LINENO',
      'OPTERR',
      'PPID',
      'SECONDS',
      'UID',
    ],
  },
  {
    why: 'makes node or one of its package managers load or run something else',
    names: ['ELECTRON_RUN_AS_NODE', 'BUN_OPTIONS'],
    prefixes: ['NODE_', 'COREPACK_', 'TS_NODE_', 'BUN_CONFIG_', 'DENO_', 'YARN_', 'PNPM_'],
    except: ['NODE_ENV', 'NODE_NO_WARNINGS', 'NODE_DISABLE_COLORS'],
  },
  {
    /* script-shell, node-options, prefix and the rest of its settings. */
    why: 'is a setting of npm, and those name programs',
    prefixes: ['npm_', 'pnpm_config_'],
    isAnyCase: true,
  },
  {
    why: 'makes python load something else',
    prefixes: ['PYTHON', '__PYVENV'],
    except: [
      'PYTHONDONTWRITEBYTECODE',
      'PYTHONFAULTHANDLER',
      'PYTHONHASHSEED',
      'PYTHONIOENCODING',
      'PYTHONUNBUFFERED',
      'PYTHONUTF8',
    ],
  },
  {
    why: 'is a setting of pip or uv, and those name where code comes from',
    prefixes: ['PIP_', 'UV_'],
  },
  {
    why: 'makes an interpreter load or run something else',
    names: [
      'AWKPATH',
      'AWKLIBPATH',
      'CAML_LD_LIBRARY_PATH',
      'ELIXIR_ERL_OPTIONS',
      'GHCRTS',
      'OCAMLRUNPARAM',
      'PERLLIB',
      'PERL_MM_OPT',
      'PERL_MB_OPT',
      'RAKEOPT',
      'TCLLIBPATH',
      'TCL_LIBRARY',
    ],
    prefixes: ['PERL5', 'RUBY', 'GEM_', 'LUA_', 'PHP', 'ERL_', 'GUILE_', 'JULIA_', 'R_'],
  },
  {
    why: 'makes java load something else',
    names: [
      'JAVA_TOOL_OPTIONS',
      'JDK_JAVA_OPTIONS',
      '_JAVA_OPTIONS',
      'JDK_JAVAC_OPTIONS',
      'CLASSPATH',
    ],
    suffixes: ['_OPTS'],
  },
  {
    why: 'makes a build tool run something before it looks at the project',
    names: [
      'GNUMAKEFLAGS',
      'GOENV',
      'GOFLAGS',
      'MAKEFILES',
      'MAKEFLAGS',
      'MAVEN_ARGS',
      'MFLAGS',
      'RUSTC',
      'RUSTDOC',
    ],
    prefixes: ['CARGO_', 'RUSTC_', 'RUSTUP_', 'CMAKE_'],
    except: ['CARGO_TERM_COLOR', 'CARGO_INCREMENTAL', 'CARGO_TARGET_DIR', 'CMAKE_BUILD_TYPE'],
  },
  {
    /* GIT_PAGER and GIT_EDITOR are in the next group. GIT_TRACE* write files; GIT_DIR brings another repository's settings. */
    why: 'makes git run, read or write something else',
    prefixes: ['GIT_'],
    except: [
      'GIT_AUTHOR_DATE',
      'GIT_AUTHOR_EMAIL',
      'GIT_AUTHOR_NAME',
      'GIT_COMMITTER_DATE',
      'GIT_COMMITTER_EMAIL',
      'GIT_COMMITTER_NAME',
      'GIT_EDITOR',
      'GIT_OPTIONAL_LOCKS',
      'GIT_PAGER',
      'GIT_SEQUENCE_EDITOR',
      'GIT_TERMINAL_PROMPT',
    ],
  },
  {
    why: 'is a command that other programs run',
    names: ['PAGER', 'BROWSER', 'EDITOR', 'VISUAL', 'FCEDIT', 'KUBECTL_EXTERNAL_DIFF'],
    suffixes: ['_PAGER', 'MANPAGER', '_EDITOR', '_BROWSER'],
    harmlessValues: switchedOff,
  },
  {
    /* LESSOPEN is a command; LESS itself takes `+!command`, and others hand it on as SYSTEMD_LESS or MANLESS. TAR_OPTIONS and RIPGREP_CONFIG_PATH take commands as well. */
    why: 'gives a program options or settings that can run commands or write files',
    names: [
      'EXINIT',
      'GVIMINIT',
      'LV',
      'MANLESS',
      'MANOPT',
      'MORE',
      'PYTEST_ADDOPTS',
      'PYTEST_PLUGINS',
      'RIPGREP_CONFIG_PATH',
      'SYSTEMD_LESS',
      'TAR_OPTIONS',
      'UNZIP',
      'VALGRIND_OPTS',
      'VIM',
      'VIMINIT',
      'VIMRUNTIME',
      'ZIP',
      'ZIPOPT',
    ],
    prefixes: ['LESS', 'EMACS', 'FZF_', 'MANROFF', 'NVIM_', 'BAT_', 'TEXMF'],
    except: ['LESSSECURE', 'LESSCHARSET'],
  },
  {
    why: 'is a command by which other programs reach out, or where they find keys',
    names: ['RSYNC_RSH', 'RSYNC_CONNECT_PROG', 'CVS_RSH', 'SVN_SSH', 'SUDO_ASKPASS'],
    prefixes: ['SSH_'],
  },
  {
    why: 'makes a program write to a file of its own',
    names: ['GCOV_PREFIX', 'LLVM_PROFILE_FILE', 'HISTFILE', 'SQLITE_HISTORY'],
    suffixes: ['SAN_OPTIONS'],
  },
];
