// Each script asks the program for candidates at every Tab, so it is never outdated. No script evaluates typed text: a
// command substitution in it is not executed.

const BASH = `# bash completion of tidemark
_tidemark() {
  local line word last=-1 before=
  local -a typed=()
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    # bash makes three words of post:maps, and replaces only the last one.
    if [[ last -ge 0 && $COMP_WORDBREAKS == *:* && ( $word == : || \${typed[last]} == *: ) ]]; then
      typed[last]+=$word
    else
      typed+=("$word")
      last=$((last + 1))
    fi
  done
  [[ $COMP_WORDBREAKS == *:* && $word != "\${typed[last]}" ]] && before=\${typed[last]%"\${typed[last]##*:}"}
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      :folders) compopt -o dirnames 2>/dev/null ;;
      *) line=\${line%%$'\\t'*}; COMPREPLY+=("\${line#"$before"}") ;;
    esac
  done < <(@TIDEMARK@ completion candidates -- "\${typed[@]}" 2>/dev/null)
}
complete -F _tidemark tidemark
`;

const ZSH = `#compdef tidemark
_tidemark() {
  local line
  local -a found
  for line in "\${(@f)$(@TIDEMARK@ completion candidates -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files; return ;;
      :folders) _files -/; return ;;
      *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  _describe 'tidemark' found
}
if [[ $funcstack[1] == _tidemark ]]; then _tidemark "$@"; else compdef _tidemark tidemark; fi
`;

const FISH = `# fish completion of tidemark
function __tidemark_candidates
    set -l before (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    for line in (@TIDEMARK@ completion candidates -- $before[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete --command tidemark --no-files --arguments '(__tidemark_candidates)'
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
type Shell = keyof typeof SCRIPTS;

/** The shells with completion. */
export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

/** @param words the command that lists candidates: not an alias, which a script does not know */
export function completionScript(shell: Shell, words: readonly string[]): string {
  return SCRIPTS[shell].replace('@TIDEMARK@', () => words.join(' '));
}
