// Arguments of a command line that a shell or an interpreter would run as code, where text of feeds is refused. bgfetch
// itself never uses a shell. CodeReaders lists the programs.

/// The arguments of a command line that are code.
struct CodeArguments {
  /// The program that would run an argument as code, by the argument's index.
  private(set) var readers: [Int: CodeReader] = [:]
  /// The shell or interpreter that would run its standard input.
  private(set) var onInput: CodeReader?
  /// Whether the arguments after the code belong to the code.
  private(set) var isScript = false

  private let words: [String?]

  /// Searches a command line; nil is an argument with placeholders.
  init(_ words: [String?]) {
    self.words = words
    let isWrapped = words.first.flatMap { $0 }.map { commandWrappers.contains(programName($0)) } ?? false
    for (position, word) in words.enumerated() {
      guard let word, let rule = codeRules[programName(word)] else { continue }
      // Behind a wrapper such as sudo any word may be the command. Elsewhere the name of a program is a word
      // like any other, unless an option for code follows it.
      if mark(
        CodeReader(program: programName(word), kind: rule.kind), rule, after: position,
        position == 0 || isWrapped)
      {
        return
      }
    }
  }

  /// Marks the arguments that a program would run; false if there are none.
  private mutating func mark(_ reader: CodeReader, _ rule: CodeRule, after position: Int, _ isCommand: Bool)
    -> Bool
  {
    switch rule.place {
    case .afterOption(let letters, let words):
      return markCode(reader, letters, words, after: position, isCommand)
    case .valueOfOption(let letter, let word):
      markValues(reader, letter, word, after: position)
      return false
    case .firstArgument:
      guard isCommand else { return false }
      isScript = true
      markFirstArgument(reader, after: position)
    case .afterHost:
      guard isCommand else { return false }
      markAfterHost(reader, after: position)
    case .everything:
      guard isCommand, !words.contains("--expand-environment=no") else { return false }
      for index in words.indices.dropFirst(position + 1) { readers[index] = reader }
      // The program that it starts may be a shell, which has rules of its own.
      return reader.kind != .expander
    case .input:
      guard isCommand else { return false }
      onInput = reader
    }
    return true
  }

  /// `sh -c CODE`, `bash -xc CODE`, `python -Wd -c CODE`; also the script in `sh SCRIPT`.
  private mutating func markCode(
    _ reader: CodeReader, _ letters: Set<Character>, _ longOptions: [String], after position: Int,
    _ isCommand: Bool
  ) -> Bool {
    var hasCodeOption = false
    var index = position + 1
    // An argument with placeholders ends the options: it may be the code itself, also in the form -cCODE.
    while index < words.count, let word = words[index] {
      if let option = longOptions.first(where: { word == $0 || word.hasPrefix($0 + "=") }) {
        hasCodeOption = true
        if word != option {
          // The code is joined to its option and has no placeholder; what follows is data.
          isScript = true
          return true
        }
      } else if isCluster(word), word.dropFirst().contains(where: letters.contains) {
        hasCodeOption = true
      } else if optionsWithValue.contains(word) {
        index += 1
      } else if !word.hasPrefix("-"), !word.hasPrefix("+") {
        break
      }
      index += 1
    }
    guard hasCodeOption || isCommand else { return false }
    if index < words.count {
      readers[index] = reader
      isScript = true
    } else if !hasCodeOption {
      onInput = reader
    }
    return true
  }

  /// `su -c CODE`: the value of one option.
  private mutating func markValues(
    _ reader: CodeReader, _ letter: Character, _ option: String, after position: Int
  ) {
    for index in words.indices.dropFirst(position + 2) {
      guard let word = words[index - 1] else { continue }
      if word == option || isCluster(word) && word.last == letter { readers[index] = reader }
    }
  }

  /// `awk CODE`, `sed -e CODE`.
  private mutating func markFirstArgument(_ reader: CodeReader, after position: Int) {
    var index = position + 1
    var isGivenByOption = false
    while index < words.count, let word = words[index], word.hasPrefix("-"), word != "-" {
      if word == "-e" || word == "-f" {
        isGivenByOption = true
        if index + 1 < words.count { readers[index + 1] = reader }
      }
      index += ["-e", "-f", "-F", "-v"].contains(word) ? 2 : 1
    }
    if index < words.count, !isGivenByOption { readers[index] = reader }
  }

  /// `ssh HOST CODE…`: a shell on the other machine runs everything after the host.
  private mutating func markAfterHost(_ reader: CodeReader, after position: Int) {
    var index = position + 1
    while index < words.count, let word = words[index], word.hasPrefix("-") {
      // These options of ssh(1) take a value that need not be joined to them.
      index += word.count == 2 && "BbcDEeFIiJLlmOopQRSWw".contains(word.last ?? " ") ? 2 : 1
    }
    for argument in words.indices.dropFirst(index) { readers[argument] = reader }
  }

  /// Whether a word is one or more options of one letter.
  private func isCluster(_ word: String) -> Bool {
    word.hasPrefix("-") && word.count > 1 && !word.hasPrefix("--")
  }
}
