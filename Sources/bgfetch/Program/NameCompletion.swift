// Names that a shell completes: those of the configuration that the command line so far would use.

import ArgumentParser
import Core
import Host

extension CompletionKind {
  /// The names of feeds, and their tags.
  static var feedNames: CompletionKind {
    names { settings in
      settings.feeds.map(\.name.text) + Set(settings.feeds.flatMap(\.tags)).sorted().map { "@" + $0 }
    }
  }

  /// The names of hooks.
  static var hookNames: CompletionKind { names { $0.hooks.map(\.name) } }

  /// YAML files.
  static var configurationFile: CompletionKind { .file(extensions: ["yaml", "yml"]) }

  private static func names(_ names: @escaping @Sendable (Settings) -> [String]) -> CompletionKind {
    // What of them fits the word under the cursor is for the shell to say: some do so without regard to case.
    .custom { words, _, _ in configuredNames(words, names) }
  }
}

/// Names of the configuration that a command line means.
///
/// There is nobody to tell of a configuration that is missing or wrong: then there are none.
private func configuredNames(_ words: [String], _ names: (Settings) -> [String]) -> [String] {
  guard let options = try? CommonOptions.parse(optionWords(words)),
    let settings = try? Invocation(options).configuration().settings
  else { return [] }
  return names(settings)
}

/// What of a command line says which configuration is meant.
private func optionWords(_ words: [String]) -> [String] {
  for (index, word) in words.enumerated() {
    if word.hasPrefix("--config=") { return [word] }
    if word == "--config", index + 1 < words.count { return [word, words[index + 1]] }
  }
  return []
}
