// Arguments of a command line that a shell or an interpreter would run as code, where text of feeds is refused, and the
// programs that do so. bgfetch itself never uses a shell.

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

/// A program that would run an argument.
struct CodeReader {
  /// The program, without directory and version.
  let program: String
  /// The kind of program, which decides the cure.
  let kind: Kind

  enum Kind {
    /// A shell on this machine, which has the variables of the hook.
    case shell
    /// An interpreter of another language.
    case interpreter
    /// A shell on another machine, which does not.
    case remote
    /// A program that expands or runs parts of its arguments: `${…}`, `#(…)`.
    case expander
    /// A program that runs lines of a mail that begin with `~!`.
    case mail
  }
}

/// The place of a program's code.
struct CodeRule {
  let kind: CodeReader.Kind
  let place: Place

  /// The place of code among arguments.
  enum Place {
    /// The first argument that is no option, once one of these options was there; else that is a script's
    /// name.
    case afterOption(letters: Set<Character>, words: [String])
    /// The value of one option.
    case valueOfOption(letter: Character, word: String)
    /// The first argument that is no option.
    case firstArgument
    /// Everything after the first argument.
    case afterHost
    /// All arguments.
    case everything
    /// Standard input.
    case input
  }
}

/// The programs that run text, by name.
let codeRules: [String: CodeRule] = {
  var rules: [String: CodeRule] = [:]
  func add(_ names: [String], _ kind: CodeReader.Kind, _ place: CodeRule.Place) {
    for name in names { rules[name] = CodeRule(kind: kind, place: place) }
  }
  add(
    [
      "sh", "bash", "rbash", "dash", "ash", "zsh", "fish", "ksh", "mksh", "oksh", "csh", "tcsh", "yash", "nu",
      "pwsh",
    ],
    .shell, .afterOption(letters: ["c", "C"], words: ["--command", "--init-command", "-Command"]))
  add(["python", "pypy", "guile", "expect"], .interpreter, .afterOption(letters: ["c"], words: []))
  add(["perl", "raku"], .interpreter, .afterOption(letters: ["e", "E"], words: []))
  add(["ruby", "lua", "luajit", "Rscript"], .interpreter, .afterOption(letters: ["e"], words: []))
  add(
    ["node", "nodejs", "bun"], .interpreter, .afterOption(letters: ["e", "p"], words: ["--eval", "--print"]))
  add(["deno"], .interpreter, .afterOption(letters: [], words: ["eval"]))
  add(["php"], .interpreter, .afterOption(letters: ["r", "B", "R", "E"], words: ["--run"]))
  add(["awk", "gawk", "mawk", "nawk", "sed", "gsed"], .interpreter, .firstArgument)
  add(["su", "runuser", "script", "flock"], .shell, .valueOfOption(letter: "c", word: "--command"))
  add(["env"], .shell, .valueOfOption(letter: "S", word: "--split-string"))
  add(["eval", "watch"], .shell, .everything)
  add(["ssh", "mosh"], .remote, .afterHost)
  // systemd.service(5): ${VARIABLES} of the user's manager; tmux(1): #(commands); the others: exec.
  add(["systemd-run", "tmux", "i3-msg", "swaymsg", "hyprctl"], .expander, .everything)
  add(["at", "batch"], .shell, .input)
  add(
    ["mail", "mailx", "Mail", "bsd-mailx", "heirloom-mailx", "mail.mailutils", "nail", "s-nail"], .mail,
    .input)
  return rules
}()

/// Programs that run the command in their arguments.
let commandWrappers: Set = [
  "env", "sudo", "doas", "nice", "ionice", "nohup", "setsid", "timeout", "stdbuf", "time", "chronic",
  "systemd-run",
  "systemd-inhibit", "flock", "xargs", "chroot", "unshare", "nsenter", "busybox", "toybox", "command", "exec",
  "torsocks", "proxychains", "firejail", "bwrap", "setpriv", "runuser", "taskset", "chrt", "parallel",
]

/// Options of shells and interpreters whose value is a word of its own, and no script.
let optionsWithValue: Set = [
  "-o", "+o", "-O", "+O", "--rcfile", "--init-file", "-W", "-X", "-r", "--require", "--import", "-d", "-I",
  "-l",
]

/// A program's name without its directory and version: `python` for `/usr/bin/python3.11`.
func programName(_ word: String) -> String {
  let name = word.split(separator: "/").last.map(String.init) ?? word
  let bare = String(name.reversed().drop { $0.isNumber || $0 == "." || $0 == "-" }.reversed())
  return bare.isEmpty ? name : bare
}
