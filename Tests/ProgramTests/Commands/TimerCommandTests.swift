// `bgfetch install-timer`, with a program that only records how systemd is called.

import Foundation
import TestKit
import Testing

@Suite struct TimerCommandTests {
  private let feeds = "feeds: {planet: https://planet.example/}\n"

  /// A program with a configuration in the usual place, and a PATH with only these programs.
  private func machine(systemd: Bool = true) throws -> Machine {
    let bgfetch = try BuiltProgram()
    try bgfetch.makeDirectory("bin")
    try bgfetch.makeDirectory(".config/bgfetch")
    try bgfetch.home.write(feeds, to: ".config/bgfetch/bgfetch.yaml")
    if systemd {
      _ = try bgfetch.script(
        "bin/systemctl",
        """
        echo "$*" >> "$HOME/calls"
        case $* in
        *is-system-running) echo running ;;
        *is-enabled*) for unit; do :; done; test -e "$HOME/enabled.$unit" ;;
        *' enable '*) : > "$HOME/enabled.${*##* }" ;;
        *'disable --now'*) for unit; do /bin/rm -f "$HOME/enabled.$unit"; done ;;
        esac
        """)
    }
    return Machine(bgfetch: bgfetch)
  }

  private struct Machine {
    let bgfetch: BuiltProgram

    @discardableResult
    func callAsFunction(
      _ arguments: String..., environment: [String: String] = [:], status: Int32? = nil, errors: String? = nil
    ) async throws -> Invoked {
      let own = ["PATH": bgfetch.home.file("bin"), "BGFETCH_CONFIG": ""].merging(environment) { $1 }
      return try await bgfetch(arguments, environment: own, status: status, errors: errors)
    }

    func unit(_ name: String) -> String { bgfetch.text(of: ".config/systemd/user/" + name) }

    /// The commands that changed something.
    var changes: [String] {
      bgfetch.text(of: "calls").split(separator: "\n").map(String.init).filter {
        !$0.contains(" is-") && !$0.hasPrefix("is-")
      }
    }
  }

  @Test func `the units are written, the timer is started, and --remove undoes it`() async throws {
    let machine = try machine()

    let installed = try await machine("install-timer", "--every", "15m", status: 0)

    let start = "\nExecStart=\(BuiltProgram.path) "
    #expect(machine.unit("bgfetch.service").contains(start + "run --cause timer --no-transfers\n"))
    #expect(machine.unit("bgfetch-transfers.service").contains(start + "transfers run"))
    #expect(machine.unit("bgfetch.timer").contains("\nOnCalendar=*:0/15\n"))
    let commands = ["--user daemon-reload", "--user enable bgfetch.timer", "--user restart bgfetch.timer"]
    #expect(machine.changes == commands)
    #expect(
      installed.lines.contains("wrote \(machine.bgfetch.home.file(".config/systemd/user/bgfetch.timer"))"))
    #expect(installed.errors == "")

    try await machine("install-timer", "--remove", status: 0)
    let again = try await machine("install-timer", "--remove")
    #expect(machine.changes.dropFirst(3) == ["--user disable --now bgfetch.timer", "--user daemon-reload"])
    #expect(machine.unit("bgfetch.timer") + machine.unit("bgfetch.service") == "")
    #expect(again.output == "nothing to remove: install-timer has installed nothing here\n")
  }

  @Test func `--print shows everything and changes nothing`() async throws {
    let machine = try machine()

    let shown = try await machine("install-timer", "--print")

    #expect(shown.lines.contains("systemctl --user enable bgfetch.timer"))
    #expect(shown.output.contains("ExecStart=\(BuiltProgram.path) run"))
    #expect(machine.changes == [])
    #expect(machine.unit("bgfetch.timer") == "")
  }

  @Test(arguments: [["--config"], ["--cron", "--config"]], ["a\nb", "a\rb", "a\u{1B}[2Jb", "a\u{2028}b"])
  func `a path with a control character is refused, because it would begin a line of its own`(
    options: [String], name: String
  ) async throws {
    let machine = try machine()
    try machine.bgfetch.makeDirectory(name)
    let configuration = try machine.bgfetch.home.write(feeds, to: name + "/c.yaml")

    try await machine.bgfetch(
      ["install-timer"] + options + [configuration],
      environment: ["PATH": machine.bgfetch.home.file("bin"), "BGFETCH_CONFIG": ""], status: 2,
      errors: "the path contains a control character")

    #expect(machine.changes == [])
  }

  @Test(arguments: ["a b", "50%", "#a;b=c", "é"])
  func `cron and systemd start a program below a directory with signs`(name: String) async throws {
    let server = try ScriptedServer(planet: ["a"])
    let machine = try machine()
    let bgfetch = machine.bgfetch
    let directory = try bgfetch.makeDirectory(name)
    let program = directory + "/bgfetch"
    symlink(BuiltProgram.path, program)
    let configuration = try bgfetch.home.write(
      "state: \(bgfetch.state)\nfeeds: {planet: \"\(server.url("/planet"))\"}\n", to: name + "/c.yaml")
    func printed(_ options: String...) async throws -> Invoked {
      try await RunningProgram(
        program, ["install-timer", "--print", "--config", configuration] + options,
        environment: ["HOME": bgfetch.home.path, "PATH": bgfetch.home.file("bin")], input: nil,
        in: bgfetch.home
      ).ended()
    }

    let line = try #require(try await printed("--cron").lines.last)
    // Cron takes the five fields, and the backslash before a percent sign.
    let command =
      line.split(separator: " ", maxSplits: 5).last.map(String.init)?.replacing("\\%", with: "%") ?? ""
    try await bgfetch.shell(command, status: 0)
    #expect(server.requests.count == 1, "\(command)")

    for unit in try await printed().output.components(separatedBy: "# Write ").dropFirst() {
      let parts = unit.split(separator: ":\n", maxSplits: 1).map(String.init)
      try bgfetch.home.write(parts[1], to: String(parts[0].split(separator: "/").last ?? "unit"))
    }
    let verified = try await bgfetch.shell(
      "command -v systemd-analyze >/dev/null && systemd-analyze verify --man=no \"$HOME\"/bgfetch*.service 2>&1"
    )
    #expect(verified.lines.filter { $0.contains("bgfetch") } == [])
  }

  @Test func `a configuration that services would not find is named in the unit`() async throws {
    let machine = try machine()
    let configuration = try machine.bgfetch.home.write(feeds, to: "my feeds.yaml")

    try await machine("install-timer", "--config", "my feeds.yaml", status: 0)

    #expect(machine.unit("bgfetch.service").contains("--config \"\(configuration)\"\n"))
  }

  @Test func `a state directory that services would not find is refused, until the configuration names it`()
    async throws
  {
    let machine = try machine()
    let home = machine.bgfetch.home
    let environment = ["XDG_STATE_HOME": home.file("s")]

    try await machine(
      "install-timer", environment: environment, status: 2,
      errors: "write state: \(home.file("s"))/bgfetch into the configuration")
    #expect(machine.changes == [])

    try home.write("state: \(home.file("t"))\n" + feeds, to: ".config/bgfetch/bgfetch.yaml")
    try await machine("install-timer", environment: environment, status: 0)
  }

  @Test func `without a configuration nothing is installed, and the error names add`() async throws {
    let machine = try machine()
    unlink(machine.bgfetch.home.file(".config/bgfetch/bgfetch.yaml"))

    try await machine("install-timer", status: 78, errors: "bgfetch add")

    #expect(machine.changes == [])
  }

  @Test(arguments: [
    (
      "case $* in *is-system-running) echo running ;; *reload) echo 'No space' >&2; exit 1 ;; esac", 1,
      "bgfetch: systemctl --user daemon-reload: failed: No space\n"
    ), ("case $* in --user*) exit 1 ;; *) echo running ;; esac", 2, "log in as the user"),
  ])
  func `errors of systemctl are shown, and no manager is no reason to write anything`(
    script: String, status: Int32, errors: String
  ) async throws {
    let machine = try machine()
    _ = try machine.bgfetch.script("bin/systemctl", script)

    try await machine("install-timer", status: status, errors: errors)

    #expect(status == 1 || machine.unit("bgfetch.service") == "")
  }

  @Test func `the timer and the service never start runs both`() async throws {
    let machine = try machine()

    try await machine("install-timer", status: 0)
    try await machine("install-timer", "--watch", status: 0)

    #expect(machine.changes.dropFirst(3).first == "--user disable --now bgfetch.timer")
    #expect(machine.changes.last == "--user restart bgfetch-watch.service")
  }

  @Test func `a unit of somebody else is never changed`() async throws {
    let machine = try machine()
    try machine.bgfetch.makeDirectory(".config/systemd/user")
    try machine.bgfetch.home.write("[Service]\n", to: ".config/systemd/user/bgfetch.service")

    try await machine("install-timer", status: 2, errors: "was not written by bgfetch install-timer")
    try await machine("install-timer", "--remove", status: 0)

    #expect(machine.unit("bgfetch.service") == "[Service]\n")
    #expect(machine.changes == [])
  }

  @Test func `the line for cron needs neither systemd nor cron, and the error without systemd names it`()
    async throws
  {
    let machine = try machine(systemd: false)

    let line = try await machine("install-timer", "--cron", "--every", "1h", status: 0)
    try await machine("install-timer", status: 2, errors: "bgfetch install-timer --cron")

    #expect(line.output == "0 * * * * \(BuiltProgram.path) run --cause timer -q\n")
  }

  @Test(arguments: [
    (["--every", "7m"], "does not divide an hour"), (["--watch", "--every", "5m"], "--watch has none"),
    (["--cron", "--system"], "not both"), (["--remove", "--watch"], "without --watch"),
    (["--remove", "--every", "5m"], "without --watch"), (["--remove", "--cron"], "without --watch"),
  ])
  func `options that do not fit are refused`(options: [String], message: String) async throws {
    try await machine().bgfetch(["install-timer"] + options, status: 2, errors: message)
  }
}
