/*
 * What `clf completion` prints: for each shell a short script that hands the line to
 * `clf __complete` and shows the answer. All knowledge is on our side, so a script
 * that was installed once stays right after an upgrade.
 *
 * The answer: a first line with what to do (`words`, `files`, `directories`,
 * `program N`), then a candidate per line, a tab, and what it means. The N-th word
 * of what was handed over begins another program's command line.
 *
 * The program that is asked is the one that was typed; under another name (an alias)
 * it is the one that printed the script.
 */
type Shell = 'bash' | 'zsh' | 'fish';

export function completionScript(shell: Shell, ownPath: string): string {
  const quoted = `'${ownPath.replaceAll("'", String.raw`'\''`)}'`;
  return scripts[shell].replaceAll('@OWN@', () => quoted);
}

/*
 * Bash cuts words at = and : too. They are joined again by looking whether there is
 * a space between them in the line; what bash replaces is only the last piece, so the
 * pieces before it are taken off the candidates.
 */
const bash = String.raw`# Completion of clf for bash. In ~/.bashrc: source <(clf completion bash)
_clf() {
  COMPREPLY=()
  local program
  program=$(type -P -- "$1") || program=@OWN@
  local line=$COMP_LINE words=() starts=() word gap i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${'${COMP_WORDS[i]}'}
    gap=${'${line%%[![:space:]]*}'}
    if ((i > 0)) && [[ -z $gap && ( $i -lt $COMP_CWORD || -n $word ) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
      starts+=("$i")
    fi
    line=${'${line#"$gap"}'}
    line=${'${line#"$word"}'}
  done
  local current=${'${words[-1]}'} piece=${'${COMP_WORDS[COMP_CWORD]}'}
  [[ $piece == [=:] ]] && piece=
  local before=${'${current%"$piece"}'}
  local answer IFS=$'\n'
  mapfile -t answer < <("$program" __complete -- "${'${words[@]:1}'}" 2>/dev/null)
  local what=${'${answer[0]}'}
  case $what in
    files) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$piece")) ;;
    directories) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$piece")) ;;
    program*)
      unset IFS
      local from=$((${'${what#program }'} + 1))
      if declare -F _command_offset >/dev/null; then
        _command_offset "${'${starts[from]}'}"
      elif ((${'${#words[@]}'} - 1 == from)); then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -c -- "$piece"))
      else
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$piece"))
      fi
      ;;
    *)
      for word in "${'${answer[@]:1}'}"; do
        word=${"${word%%$'\\t'*}"}
        [[ $word == "$current"* ]] && COMPREPLY+=("${'${word#"$before"}'}")
      done
      ;;
  esac
}
complete -F _clf clf clawdfather
`;

const zsh = String.raw`#compdef clf clawdfather
# Completion of clf for zsh. In ~/.zshrc: source <(clf completion zsh)
_clf() {
  local program answer what line value
  local -a candidates
  program=$(whence -p -- "${'${words[1]}'}") || program=@OWN@
  answer=("${'${(@f)$("$program" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}'}")
  what=${'${answer[1]}'}
  case $what in
    files) _files ;;
    directories) _files -/ ;;
    program*)
      shift $((${'${what#program }'} + 1)) words
      ((CURRENT -= ${'${what#program }'} + 1))
      _normal
      ;;
    *)
      for line in "${'${(@)answer[2,-1]}'}"; do
        value=${"${line%%$'\\t'*}"}
        candidates+=("${'${value//:/\\\\:}'}:${"${line#*$'\\t'}"}")
      done
      ((${'${#candidates}'})) && _describe -V 'clf' candidates
      ;;
  esac
}
if [[ ${'${funcstack[1]}'} == _clf ]]; then
  _clf "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _clf clf clawdfather
fi
`;

const fish = String.raw`# Completion of clf for fish. clf completion fish > ~/.config/fish/completions/clf.fish
function __clf_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l program (command -s -- $tokens[1]; or echo @OWN@)
    set -l answer ($program __complete -- $tokens[2..-1] $current 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path $current
        case directories
            __fish_complete_directories $current
        case 'program *'
            set -l from (string replace 'program ' '' -- $answer[1])
            set -l rest $tokens[(math $from + 2)..-1]
            complete -C (string join ' ' -- (string escape -- $rest) "$current")
        case '*'
            printf '%s\n' $answer[2..-1]
    end
end
complete -c clf -e
complete -c clf -f -k -a '(__clf_complete)'
complete -c clawdfather -w clf
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
