// The words of a command line that shells, interpreters and programs like them would run as code, and what would run its
// standard input.

/// The arguments of a command line that are code for one of its words.
struct CodeArguments {
  /// The arguments, by index, each with the program that would run it.
  private(set) var readers: [(index: Int, reader: CodeReader)] = []
  /// The shell or interpreter that would run its standard input.
  private(set) var onInput: CodeReader?
  /// Whether the arguments after the code belong to the code.
  private(set) var isScript = false

  /// Searches a command line; nil is an argument with placeholders.
  init(_ words: some Collection<String?>) {
    let words = Array(words)
    let isWrapped = words.first.flatMap { $0 }.map { wrappers.contains(programName($0)) } ?? false
    defer { findReaderOfInput(words, isWrapped) }
    for (position, word) in words.enumerated() {
      guard let word, let reader = codeReaders[programName(word)] else { continue }
      // After a wrapper such as sudo any word may be the command. Elsewhere a program's name is an ordinary word,
      // unless an option for code follows it.
      let isCommand = position == 0 || isWrapped
      let later = words.indices.dropFirst(position + 1)
      switch reader.code {
      case .script(let letters):
        if mark(reader, letters, words, after: position, isCommand) { return }
      case .value(let letters):
        readers += later.dropFirst().filter { words[$0 - 1]?.isOption(letters) ?? false }.map { ($0, reader) }
      case .input where isCommand:
        onInput = reader
        return
      case .arguments where isCommand && !words.contains("--expand-environment=no"):
        readers += later.map { ($0, reader) }
        // The program that it starts may be a shell, which has rules of its own.
        if reader.kind != .expander { return }
      case .input, .arguments: continue
      }
    }
  }

  /// Marks the code in `sh -c CODE`, `bash -xc CODE`, `sed -e CODE -e CODE` and `awk CODE`, and the script in `sh SCRIPT`;
  /// returns whether the word was a command.
  private mutating func mark(
    _ reader: CodeReader, _ letters: String, _ words: [String?], after position: Int, _ isCommand: Bool
  ) -> Bool {
    var hasOption = false
    var readsInput = false
    var index = position + 1
    // An argument with placeholders ends the options: it may be the code itself, also in the form -cCODE.
    while index < words.count, let word = words[index] {
      if word.isOption(letters) {
        hasOption = true
        // Code that is joined to its option has no placeholder.
        if word.contains("=") { index = words.count }
      } else if optionsWithValue.contains(word) {
        index += 1
      } else if standardInput.contains(word) || !word.hasPrefix("-") && !word.hasPrefix("+") {
        break
      } else if reader.kind == .shell, !word.hasPrefix("--"), word.contains("s") {
        // sh(1): -s reads the commands from standard input, whatever arguments follow.
        readsInput = true
      }
      index += 1
    }
    guard hasOption || isCommand else { return false }
    isScript = index < words.count || hasOption
    let code = index < words.count ? words[index] : nil
    onInput = isScript && !readsInput && !standardInput.contains(code ?? "") ? nil : reader
    if reader.kind == .shell, hasOption, let code, !code.contains(where: "|&;<>()$`\n".contains) {
      // A single command reads the input of its shell.
      onInput = CodeArguments(simpleWords(of: code)).onInput
    }
    // Unlike -c, -e may be repeated.
    let repeated = words.indices.filter {
      $0 > index && letters.contains("e") && hasOption && words[$0 - 1]?.isOption(letters) ?? false
    }
    readers += ((index < words.count ? [index] : []) + repeated).map { ($0, reader) }
    return true
  }
}

// Programs that pass their input on: as arguments of a command, to a shell of another user or machine.
extension CodeArguments {
  /// Finds what would run the input of a command line whose programs alone do not tell.
  private mutating func findReaderOfInput(_ words: [String?], _ isWrapped: Bool) {
    for (position, word) in words.enumerated() where position == 0 || isWrapped {
      guard let name = word.map(programName) else { continue }
      let rest = words[(position + 1)...]
      switch name {
      case "xargs", "parallel": onInput = Self.readerOfAddedInput(name, rest)
      case "ssh": onInput = Self.readerOfRemoteInput(rest)
      case "env":
        guard let reader = Self.readerOfSplitInput(rest) else { continue }
        onInput = reader
      case "find": onInput = Self.readerOfFoundInput(rest)
      case "su", "sudo", "doas":
        guard Self.startsShell(name, rest) else { continue }
        onInput = CodeReader(program: name, kind: .shell, code: .input)
      default: continue
      }
      return
    }
  }

  /// Whether a program that changes the user starts a shell, and no other command.
  private static func startsShell(_ program: String, _ words: ArraySlice<String?>) -> Bool {
    func has(_ letters: String) -> Bool { words.contains { $0?.isOption(letters) ?? true } }
    return program == "su" ? !has("c") : has("si") && command(in: words, "CDghpRrTtUu").isEmpty
  }

  /// The words after options; an option that ends with one of these letters takes the next word as its value.
  private static func command(in words: ArraySlice<String?>, _ letters: String) -> ArraySlice<String?> {
    var rest = words
    while let word = rest.first ?? nil, word.hasPrefix("-"), word != "-" {
      rest = rest.dropFirst()
      if word == "--" { break }
      let takesNext =
        word.hasPrefix("--")
        ? optionsOfFeeders.contains(word) : word.last.map(letters.contains) ?? false
      if takesNext { rest = rest.dropFirst() }
    }
    return rest
  }

  /// The reader of input that becomes arguments of a command: behind its words, or in place of a mark among them.
  private static func readerOfAddedInput(_ feeder: String, _ words: ArraySlice<String?>) -> CodeReader? {
    let itself = CodeReader(program: feeder, kind: .shell, code: .input)
    let rest = command(in: words, "adEIJLnNPRsSj")
    // Without a command xargs prints its input, and parallel runs it.
    if rest.isEmpty { return feeder == "xargs" ? nil : itself }
    var mark: String? = feeder == "xargs" ? nil : "{}"
    for (word, next) in zip(words[..<rest.startIndex], words.dropFirst()) {
      guard let word else { continue }
      switch word {
      case "-i", "--replace": mark = "{}"
      case _ where word.hasPrefix("--replace="): mark = String(word.dropFirst("--replace=".count))
      case _ where word.hasPrefix("--"): continue
      case _ where word.hasSuffix("I") || word.hasSuffix("J"): mark = next
      case _ where word.hasPrefix("-I") || word.hasPrefix("-i"): mark = String(word.dropFirst(2))
      default: continue
      }
    }
    var line = rest.map { (word: String?) -> String? in
      guard let word, let mark, word.contains(mark) else { return word }
      return nil
    }
    if !line.contains(nil), mark == nil || feeder == "parallel" { line.append(nil) }
    guard let place = line.firstIndex(of: nil) else { return nil }
    // The program before the input, without options, their values and variables.
    let before = line[..<place].indices.reversed().first { index in
      guard let word = line[index] else { return false }
      let isValue = index > 0 && line[index - 1]?.hasPrefix("-") ?? false
      return !word.hasPrefix("-") && !isValue && !word.contains("=") && !word.allSatisfy(\.isNumber)
    }
    guard let before, let program = line[before], !wrappers.contains(programName(program)) else {
      return itself
    }
    return CodeArguments(line).readers.first { line[$0.index] == nil }?.reader
  }

  /// The reader of the input of env(1) with a command line in one word.
  private static func readerOfSplitInput(_ words: ArraySlice<String?>) -> CodeReader? {
    for (index, word) in zip(words.indices, words) {
      guard let word, word.isOption("S") else { continue }
      if let joined = word.split(separator: "=", maxSplits: 1).dropFirst().first {
        return CodeArguments(simpleWords(of: String(joined)) + words[(index + 1)...]).onInput
      }
      guard let line = words.dropFirst(index + 1 - words.startIndex).first ?? nil else { return nil }
      return CodeArguments(simpleWords(of: line) + words[(index + 2)...]).onInput
    }
    return nil
  }

  /// The reader of the input of find(1): the first of the commands that it starts.
  private static func readerOfFoundInput(_ words: ArraySlice<String?>) -> CodeReader? {
    let starts = words.indices.filter { ["-exec", "-execdir"].contains(words[$0]) }
    return starts.lazy.compactMap { start in
      CodeArguments(words[(start + 1)...].prefix { $0 != ";" && $0 != "+" }).onInput
    }.first
  }

  /// The reader of the input of ssh(1): the command that it starts, or without one a shell.
  private static func readerOfRemoteInput(_ words: ArraySlice<String?>) -> CodeReader? {
    let remote = command(in: words, "BbcDEeFIiJLlmOopQRSWw").dropFirst()
    let line = remote.flatMap { word in word.map(simpleWords) ?? [nil] }
    return remote.isEmpty
      ? CodeReader(program: "ssh", kind: .remote, code: .input) : CodeArguments(line).onInput
  }
}

/// The names of standard input as a file.
private let standardInput: Set = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

/// Long options of xargs and parallel that take the next word as their value.
private let optionsOfFeeders: Set = [
  "--arg-file", "--delimiter", "--max-args", "--max-chars", "--max-lines", "--max-procs", "--jobs",
  "--colsep",
]

/// The words of a simple command, without its quotes.
private func simpleWords(of command: String) -> [String?] {
  command.split(separator: " ").map { word in String(word.filter { !"'\"".contains($0) }) }
}

extension String {
  /// Whether it is an option for code: a long one, or one with one of these letters.
  fileprivate func isOption(_ letters: String) -> Bool {
    if hasPrefix("-"), count > 1, !hasPrefix("--") { return dropFirst().contains(where: letters.contains) }
    return longOptions.contains(String(prefix { $0 != "=" }))
  }
}

/// A program that would run an argument, or its input.
struct CodeReader {
  /// The program, without directory and version.
  let program: String
  /// The kind of program, which decides the cure.
  let kind: Kind
  fileprivate let code: Code

  enum Kind {
    /// A shell on this machine, which has the variables of the hook.
    case shell
    /// An interpreter of another language.
    case interpreter
    /// A shell on another machine, which does not have them.
    case remote
    /// A program that expands or runs parts of its arguments: `${…}`, `#(…)`.
    case expander
    /// A program that runs lines of a mail that begin with `~!`.
    case mail
  }

  /// The location of code among a program's arguments.
  fileprivate enum Code {
    /// The first argument that is no option: code after an option with one of these letters, otherwise a script's name.
    case script(letters: String)
    /// The value of an option.
    case value(letters: String)
    case arguments
    /// The standard input.
    case input
  }
}

/// The programs that run text as code, by name.
private let codeReaders: [String: CodeReader] = {
  let rules: [(kind: CodeReader.Kind, code: CodeReader.Code, programs: String)] = [
    (
      .shell, .script(letters: "cC"),
      "sh bash rbash dash ash zsh fish ksh mksh oksh csh tcsh yash nu pwsh"
    ),
    (.interpreter, .script(letters: "c"), "python pypy guile expect"),
    (.interpreter, .script(letters: "eEpr"), "perl raku ruby lua luajit Rscript node nodejs bun deno php"),
    (.interpreter, .script(letters: "ef"), "awk gawk mawk nawk sed gsed"),
    (.shell, .value(letters: "c"), "su runuser script flock"), (.shell, .value(letters: "S"), "env"),
    (.shell, .arguments, "eval watch"), (.remote, .arguments, "ssh mosh"),
    // Their commands \!, .shell, ! and shell start a shell.
    (.interpreter, .input, "psql mysql mariadb sqlite ed ex dc gdb"), (.shell, .input, "crontab"),
    // systemd.service(5): ${VARIABLES} of the user's manager; tmux(1): #(commands); the others: exec.
    (.expander, .arguments, "systemd-run tmux i3-msg swaymsg hyprctl"), (.shell, .input, "at batch"),
    (.mail, .input, "mail mailx Mail bsd-mailx heirloom-mailx mail.mailutils nail s-nail"),
  ]
  return Dictionary(
    uniqueKeysWithValues: rules.flatMap { rule in
      rule.programs.split(separator: " ").map { name in
        (String(name), CodeReader(program: String(name), kind: rule.kind, code: rule.code))
      }
    })
}()

private let longOptions: Set = [
  "--command", "--init-command", "--eval", "--print", "eval", "--run", "--split-string",
]

/// Options of shells and interpreters that take the next word as their value.
private let optionsWithValue = Set(
  "-o +o -O +O --rcfile --init-file -W -X --require --import -d -I -F -v".split(separator: " ").map(
    String.init))

/// Programs that run the command in their arguments.
private let wrappers = Set(
  """
  env sudo doas nice ionice nohup setsid timeout stdbuf time chronic systemd-run systemd-inhibit flock xargs chroot \
  unshare nsenter strace ltrace chpst busybox toybox command exec torsocks proxychains firejail bwrap setpriv \
  runuser taskset chrt parallel docker podman kubectl
  """.split(separator: " ").map(String.init))

/// A program's name without its directory and version: `python` for `/usr/bin/python3.11`.
func programName(_ word: String) -> String {
  let name = word.split(separator: "/").last.map(String.init) ?? word
  let bare = String(name.reversed().drop { $0.isNumber || $0 == "." || $0 == "-" }.reversed())
  return bare.isEmpty ? name : bare
}
