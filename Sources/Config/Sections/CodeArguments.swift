// Finds the arguments that a shell or an interpreter would run as code. Text from feeds is refused there. bgfetch itself
// never uses a shell.

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
      // After a wrapper such as sudo any word may be the command. Elsewhere a program's name is an ordinary word,
      // unless an option for code follows it.
      let reader = CodeReader(program: programName(word), kind: rule.kind)
      if mark(reader, rule.place, after: position, position == 0 || isWrapped) { return }
    }
  }

  /// Marks the arguments that a program would run; returns whether the search is over.
  private mutating func mark(_ reader: CodeReader, _ place: CodePlace, after position: Int, _ isCommand: Bool)
    -> Bool
  {
    switch place {
    case .script(let letters, let options, let withValue):
      return markScript(reader, letters, options, withValue, after: position, isCommand)
    case .valueOfOption(let letter, let option):
      markValues(reader, [letter], option, after: position)
      return false
    case .everything:
      guard isCommand, !words.contains("--expand-environment=no") else { return false }
      for index in words.indices.dropFirst(position + 1) { readers[index] = reader }
      // The program that it starts may be a shell, which has rules of its own.
      return reader.kind != .expander
    case .input:
      guard isCommand else { return false }
      onInput = reader
      return true
    }
  }

  /// `sh -c CODE`, `bash -xc CODE`, `sed -e CODE -e CODE`, `awk CODE`; also the script in `sh SCRIPT`.
  private mutating func markScript(
    _ reader: CodeReader, _ letters: Set<Character>, _ longOptions: [String], _ withValue: Set<String>,
    after position: Int, _ isCommand: Bool
  ) -> Bool {
    var hasCodeOption = false
    var index = position + 1
    // An argument with placeholders ends the options: it may be the code itself, also in the form -cCODE.
    while index < words.count, let word = words[index] {
      if let option = longOptions.first(where: { word == $0 || word.hasPrefix($0 + "=") }) {
        hasCodeOption = true
        if word != option {
          // The code is joined to its option and has no placeholder. All later words are data.
          isScript = true
          return true
        }
      } else if isCluster(word), word.dropFirst().contains(where: letters.contains) {
        hasCodeOption = true
      } else if withValue.contains(word) {
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
      // Unlike -c, -e may be repeated.
      if hasCodeOption, letters.contains("e") { markValues(reader, letters, nil, after: position) }
    } else if !hasCodeOption {
      onInput = reader
    }
    return true
  }

  /// `su -c CODE`: the values of an option.
  private mutating func markValues(
    _ reader: CodeReader, _ letters: Set<Character>, _ option: String?, after position: Int
  ) {
    for index in words.indices.dropFirst(position + 2) {
      guard let word = words[index - 1] else { continue }
      if word == option || isCluster(word) && word.last.map(letters.contains) == true {
        readers[index] = reader
      }
    }
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
    /// A shell on another machine, which does not have them.
    case remote
    /// A program that expands or runs parts of its arguments: `${…}`, `#(…)`.
    case expander
    /// A program that runs lines of a mail that begin with `~!`.
    case mail
  }
}

/// The place of code among a program's arguments.
enum CodePlace {
  /// The first argument that is neither an option nor its value: code after one of these options, otherwise the
  /// name of a script, or code for a program such as awk.
  case script(letters: Set<Character>, options: [String] = [], withValue: Set<String> = shellOptionsWithValue)
  /// The value of one option.
  case valueOfOption(letter: Character, option: String)
  /// All arguments.
  case everything
  /// Standard input.
  case input
}

/// The programs that run text as code, by name.
let codeRules: [String: (kind: CodeReader.Kind, place: CodePlace)] = {
  var rules: [String: (kind: CodeReader.Kind, place: CodePlace)] = [:]
  func add(_ names: [String], _ kind: CodeReader.Kind, _ place: CodePlace) {
    for name in names { rules[name] = (kind, place) }
  }
  add(
    [
      "sh", "bash", "rbash", "dash", "ash", "zsh", "fish", "ksh", "mksh", "oksh", "csh", "tcsh", "yash", "nu",
      "pwsh",
    ], .shell, .script(letters: ["c", "C"], options: ["--command", "--init-command", "-Command"]))
  add(["python", "pypy", "guile", "expect"], .interpreter, .script(letters: ["c"]))
  add(["perl", "raku"], .interpreter, .script(letters: ["e", "E"]))
  add(["ruby", "lua", "luajit", "Rscript"], .interpreter, .script(letters: ["e"]))
  add(
    ["node", "nodejs", "bun"], .interpreter, .script(letters: ["e", "p"], options: ["--eval", "--print"]))
  add(["deno"], .interpreter, .script(letters: [], options: ["eval"]))
  add(["php"], .interpreter, .script(letters: ["r", "B", "R", "E"], options: ["--run"]))
  add(
    ["awk", "gawk", "mawk", "nawk", "sed", "gsed"], .interpreter,
    .script(letters: ["e", "f"], withValue: ["-F", "-v"]))
  add(["su", "runuser", "script", "flock"], .shell, .valueOfOption(letter: "c", option: "--command"))
  add(["env"], .shell, .valueOfOption(letter: "S", option: "--split-string"))
  add(["eval", "watch"], .shell, .everything)
  add(["ssh", "mosh"], .remote, .everything)
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
  "systemd-run", "systemd-inhibit", "flock", "xargs", "chroot", "unshare", "nsenter", "busybox", "toybox",
  "command", "exec",
  "torsocks", "proxychains", "firejail", "bwrap", "setpriv", "runuser", "taskset", "chrt", "parallel",
]

/// Options of shells and interpreters that take the next word as their value.
let shellOptionsWithValue: Set = [
  "-o", "+o", "-O", "+O", "--rcfile", "--init-file", "-W", "-X", "-r", "--require", "--import", "-d", "-I",
  "-l",
]

/// A program's name without its directory and version: `python` for `/usr/bin/python3.11`.
func programName(_ word: String) -> String {
  let name = word.split(separator: "/").last.map(String.init) ?? word
  let bare = String(name.reversed().drop { $0.isNumber || $0 == "." || $0 == "-" }.reversed())
  return bare.isEmpty ? name : bare
}
