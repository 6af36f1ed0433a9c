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
  init(_ words: [String?]) {
    let names = words.map { $0.map(programName) }
    let isWrapped = (names.first ?? nil).map(wrappers.contains) ?? false
    findCode(words, isWrapped)
    let commands = isWrapped ? names : Array(names.prefix(1))
    if let place = commands.firstIndex(where: { ["xargs", "parallel"].contains($0) }),
      let feeder = names[place]
    {
      // Their input becomes arguments: of a program that runs arguments, if one is named.
      let runsArguments = names[(place + 1)...].contains { $0.map { codeReaders[$0] != nil } ?? false }
      onInput = runsArguments ? CodeReader(program: feeder, kind: .shell, code: .input) : nil
    } else if let place = commands.firstIndex(of: "ssh") {
      onInput = Self.remoteReader(words[(place + 1)...])
    }
  }

  private mutating func findCode(_ words: [String?], _ isWrapped: Bool) {
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
    // Unlike -c, -e may be repeated.
    let repeated = words.indices.filter {
      $0 > index && letters.contains("e") && hasOption && words[$0 - 1]?.isOption(letters) ?? false
    }
    readers += ((index < words.count ? [index] : []) + repeated).map { ($0, reader) }
    return true
  }
}

extension CodeArguments {
  /// The reader of the input of ssh(1): the command after the host, or without one the other machine's shell.
  private static func remoteReader(_ words: ArraySlice<String?>) -> CodeReader? {
    var rest = words
    while let word = rest.first ?? nil, word.hasPrefix("-") {
      rest = rest.dropFirst(word.last.map("BbcDEeFIiJLlmOopQRSWw".contains) ?? false ? 2 : 1)
    }
    return rest.count < 2
      ? CodeReader(program: "ssh", kind: .remote, code: .input)
      : CodeArguments(Array(rest.dropFirst())).onInput
  }
}

/// The names of standard input as a file.
private let standardInput: Set = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

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
