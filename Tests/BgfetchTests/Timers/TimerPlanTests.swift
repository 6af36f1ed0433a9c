// The steps that install a timer, and the ones that remove it.

import Testing

@testable import bgfetch

@Suite struct TimerPlanTests {
  private func files(_ names: [String], _ text: String = unitMark + "\n") -> [UnitFile] {
    names.map { UnitFile(path: "/own/" + $0, text: text) }
  }

  private func commands(_ steps: [TimerStep]) -> [String] {
    steps.compactMap { if case .run(let command) = $0 { command.joined(separator: " ") } else { nil } }
  }

  @Test func `the units are written, enabled, and restarted in case they ran with an old text`() {
    let written = files(TimerUnit.timer.files)

    let steps = installSteps(.timer, .user, written, otherIsEnabled: false)

    #expect(steps.prefix(3) == written.map(TimerStep.write)[...])
    #expect(
      commands(steps) == [
        "systemctl --user daemon-reload", "systemctl --user enable bgfetch.timer",
        "systemctl --user restart bgfetch.timer",
      ])
  }

  @Test func `the other unit is disabled first`() {
    let steps = installSteps(.watch, .system, files(TimerUnit.watch.files), otherIsEnabled: true)

    #expect(steps.first == .run(["systemctl", "disable", "--now", "bgfetch.timer"]))
  }

  @Test func `removal disables and removes what was written, and nothing else`() {
    let own = files(["bgfetch-transfers.service", "bgfetch.timer"])
    let foreign = files(["bgfetch.service", "bgfetch-watch.service"], "# mine\n")

    let steps = uninstallSteps(.user, found: own + foreign)

    #expect(
      steps == [
        .run(["systemctl", "--user", "disable", "--now", "bgfetch.timer"]),
        .remove(path: "/own/bgfetch-transfers.service"), .remove(path: "/own/bgfetch.timer"),
        .run(["systemctl", "--user", "daemon-reload"]),
      ])
    #expect(uninstallSteps(.system, found: foreign) == [])
  }
}
