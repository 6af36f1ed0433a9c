// The files and commands that install a timer, and the ones that remove it.

import Core
import Testing

@testable import bgfetch

@Suite struct TimerPlanTests {
  private let program = TimedProgram(path: "/usr/bin/bgfetch")

  private var texts: [String: String] {
    Dictionary(
      uniqueKeysWithValues: TimerUnit.allFiles.map { name in
        let start =
          name.hasSuffix(".timer") ? "OnCalendar=*:0/5" : "ExecStart=/usr/local/bin/bgfetch \(name)"
        return (name, unitText(start + "\n", starting: program, every: nil))
      })
  }

  /// The units of a machine: those with these texts, those of a package, and the enabled ones.
  private func found(
    own: [String: String] = [:], packaged: [String: String] = [:], enabled: Set<String> = []
  ) -> [FoundUnit] {
    TimerUnit.allFiles.map { name in
      FoundUnit(
        name: name, path: "/own/" + name, own: own[name],
        packaged: packaged[name].map { UnitFile(path: "/package/" + name, text: $0) },
        isEnabled: enabled.contains(name))
    }
  }

  @Test func `on a fresh machine the timer's units are written and the timer is enabled, once`() throws {
    let plan = try installPlan(.timer, .user, texts: texts, found: found())
    let again = try installPlan(.timer, .user, texts: texts, found: found(own: texts))

    #expect(
      plan.writes.map(\.path) == [
        "/own/bgfetch.service", "/own/bgfetch-transfers.service", "/own/bgfetch.timer",
      ])
    #expect(plan.writes.map(\.text) == TimerUnit.timer.files.compactMap { texts[$0] })
    #expect(plan.firstCommands == [])
    #expect(
      plan.commands.map { $0.joined(separator: " ") } == [
        "systemctl --user daemon-reload", "systemctl --user enable --now bgfetch.timer",
      ])
    #expect(again.writes == [])
    #expect(again.keeps.count == 3)
    #expect(again.commands.count == 2)
  }

  @Test func `units of a package that start the same program are used, others are overridden`() throws {
    let mine = try installPlan(.timer, .system, texts: texts, found: found(packaged: texts))
    let other = texts.mapValues { $0.replacing("/usr/bin", with: "/opt") }
    let others = try installPlan(.timer, .system, texts: texts, found: found(packaged: other))

    #expect(mine.writes == [])
    #expect(mine.keeps.first == "/package/bgfetch.service")
    #expect(mine.commands.first == ["systemctl", "daemon-reload"])
    #expect(others.writes.map(\.path) == ["/own/bgfetch.service", "/own/bgfetch-transfers.service"])
    #expect(others.keeps == ["/package/bgfetch.timer"])
  }

  @Test func `an earlier unit is replaced, and what runs with it is restarted`() throws {
    let old = texts.mapValues { $0.replacing("/usr/bin", with: "/old") }

    let plan = try installPlan(
      .watch, .user, texts: texts, found: found(own: old, enabled: ["bgfetch-watch.service"]))

    #expect(plan.writes.map(\.path) == ["/own/bgfetch-watch.service"])
    #expect(plan.commands.last == ["systemctl", "--user", "restart", "bgfetch-watch.service"])
  }

  @Test func `the other unit is disabled first`() throws {
    let plan = try installPlan(.watch, .user, texts: texts, found: found(enabled: ["bgfetch.timer"]))

    #expect(plan.firstCommands == [["systemctl", "--user", "disable", "--now", "bgfetch.timer"]])
  }

  @Test func `a unit that somebody else wrote stays, whether it starts the same or not`() throws {
    let same = texts.mapValues { $0.replacing(unitMark, with: "# mine") + "Nice=5\n" }
    let other = texts.mapValues { $0.replacing(unitMark, with: "# mine").replacing("/usr/bin", with: "/opt") }

    #expect(try installPlan(.timer, .user, texts: texts, found: found(own: same)).writes == [])
    #expect(throws: ForeignUnit(path: "/own/bgfetch.service")) {
      try installPlan(.timer, .user, texts: texts, found: found(own: other))
    }
  }

  @Test func `removal disables what is enabled and removes what was written, and nothing else`() {
    var own = texts
    own["bgfetch.service"] = "# mine\n"

    let plan = uninstallPlan(.user, found: found(own: own, enabled: ["bgfetch.timer"]))

    #expect(plan.firstCommands == [["systemctl", "--user", "disable", "--now", "bgfetch.timer"]])
    #expect(
      plan.removals == ["/own/bgfetch-transfers.service", "/own/bgfetch.timer", "/own/bgfetch-watch.service"])
    #expect(plan.commands == [["systemctl", "--user", "daemon-reload"]])
    #expect(uninstallPlan(.system, found: found(packaged: texts)) == TimerPlan())
  }
}
