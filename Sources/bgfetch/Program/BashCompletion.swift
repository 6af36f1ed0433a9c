// The completion of bash for @tag, and behind options that come before the command: ArgumentParser's script completes
// neither.

/// The script for bash with the completion of tags; other texts unchanged.
func withTags(_ script: String) -> String {
  let ending = "complete -o filenames -F _bgfetch bgfetch"
  return script.hasSuffix(ending) || script.hasSuffix(ending + "\n") ? script + "\n" + tagCompletion : script
}

private let tagCompletion = #"""

  # Bash splits words at @, also before the name of a tag: this joins them again.
  _bgfetch_with_tags() {
      local -a words=()
      local -i index position=COMP_CWORD
      for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
          if ((index > 0)) && [[ "${COMP_WORDS[index - 1]}" == @ && -n "${COMP_WORDS[index]}" ]]; then
              words[${#words[@]} - 1]+="${COMP_WORDS[index]}"
              ((index <= COMP_CWORD)) && position+=-1
          else
              words+=("${COMP_WORDS[index]}")
          fi
      done
      # Options before the command are completed as if they came after it.
      local -i command=1
      while ((command < position)) && [[ "${words[command]}" == -* ]]; do
          case "${words[command]}" in
          --config|--state|--color) command+=2 ;;
          *) command+=1 ;;
          esac
      done
      if ((1 < command && command < position)); then
          words=("${words[0]}" "${words[command]}" "${words[@]:1:command - 1}" "${words[@]:command + 1}")
      fi
      local -a COMP_WORDS=("${words[@]}")
      local -i COMP_CWORD=position
      _bgfetch "${1}" "${2}" "${COMP_WORDS[COMP_CWORD - 1]}"
      # Bash would escape the @ in names of files.
      [[ "${2}" != @* ]] || compopt +o filenames 2>/dev/null
  }
  complete -o filenames -F _bgfetch_with_tags bgfetch
  """#
