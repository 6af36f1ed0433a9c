// Completion of command lines in shells.

import ArgumentParser
import Core

extension CompletionKind {
  /// The names and tags of feeds.
  static var feedNames: CompletionKind {
    names { settings in
      settings.feeds.map(\.name.text) + Set(settings.feeds.flatMap(\.tags)).sorted().map { "@" + $0 }
    }
  }

  static var hookNames: CompletionKind { names { $0.hooks.map(\.name) } }

  static var configurationFile: CompletionKind { .file(extensions: ["yaml", "yml"]) }

  private static func names(_ names: @escaping @Sendable (Settings) -> [String]) -> CompletionKind {
    // The shell filters by the word under the cursor; some shells ignore case.
    .custom { words, _, _ in configuredNames(words, names) }
  }
}

/// Names from the configuration of a command line; none if the configuration is missing or invalid, as completion cannot
/// show errors.
private func configuredNames(_ words: [String], _ names: (Settings) -> [String]) -> [String] {
  guard
    let settings = try? Invocation(configuration: namedConfiguration(words)).configuration().settings
  else { return [] }
  return names(settings)
}

/// The file of the option `--config` in a command line, if it has one.
private func namedConfiguration(_ words: [String]) -> String? {
  for (index, word) in words.enumerated() {
    if word.hasPrefix("--config=") { return String(word.dropFirst("--config=".count)) }
    if word == "--config", index + 1 < words.count { return words[index + 1] }
  }
  return nil
}

/// The script for bash with the completion of tags; other texts unchanged.
func withTags(_ script: String) -> String {
  let ending = "complete -o filenames -F _bgfetch bgfetch"
  return script.hasSuffix(ending) || script.hasSuffix(ending + "\n") ? script + "\n" + tagCompletion : script
}

private let tagCompletion = #"""

  # Like ArgumentParser's, but compgen -W would expand the words as the shell expands a command line.
  __bgfetch_add_completions() {
      local completion
      while IFS='' read -r completion; do
          [[ "${1}" == -W && ( -z "${completion}" || "${completion}" != "${cur}"* ) ]] || COMPREPLY+=("${completion}")
      done < <(if [[ "${1}" == -W ]]; then printf '%s\n' "${2}"; else IFS=$'\n' compgen "${@}" -- "${cur}"; fi)
  }

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
      local -a COMP_WORDS=("${words[@]}")
      local -i COMP_CWORD=position
      _bgfetch "${1}" "${2}" "${COMP_WORDS[COMP_CWORD - 1]}"
      # Bash would escape the @ in names of files. Without that it escapes nothing.
      [[ "${2}" == @* ]] || return 0
      compopt +o filenames 2>/dev/null
      for index in "${!COMPREPLY[@]}"; do
          [[ "${COMPREPLY[index]}" != *[^[:alnum:]@._-]* ]] || printf -v "COMPREPLY[index]" %q "${COMPREPLY[index]}"
      done
  }
  complete -o filenames -F _bgfetch_with_tags bgfetch
  """#
