// The programs that run text from their command line, and the place of that text.

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
