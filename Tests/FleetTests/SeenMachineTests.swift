// The problems of a machine, by its last sign of life.

import Core
import Fleet
import Testing

@Suite struct SeenMachineTests {
  private static let noon = Instant(secondsSince1970: 1_793_620_800)
  private static let sections = SharedSections(["feeds": 1, "hooks": 2])
  private static let others = SharedSections(["feeds": 3, "hooks": 2])

  struct Case: Sendable {
    var period: Interval? = .seconds(30)
    var silence = Interval.zero
    var sections = SeenMachineTests.sections
    var lead: Int64 = 0
    var expected: [String] = []
  }

  @Test(arguments: [
    Case(), Case(silence: .seconds(90)), Case(silence: .seconds(91), expected: ["silent"]),
    // A clock that was set back.
    Case(silence: .seconds(-3600)),
    Case(period: .minutes(10), silence: .minutes(30)),
    Case(period: .minutes(10), silence: .minutes(31), expected: ["silent"]),
    // Runs one after the other are not those of a timer.
    Case(period: .seconds(1), silence: .seconds(90)),
    Case(period: .zero, silence: .seconds(91), expected: ["silent"]),
    // How often it runs is not known.
    Case(period: nil, silence: .days(3)),
    Case(sections: others, expected: ["configuration"]), Case(lead: 5000), Case(lead: -5000),
    Case(lead: 5001, expected: ["clock"]), Case(lead: -86_400_000, expected: ["clock"]),
    Case(sections: others, lead: 6000, expected: ["configuration", "clock"]),
    // How it was when it was last seen says nothing.
    Case(silence: .hours(1), sections: others, lead: 6000, expected: ["silent"]),
  ])
  func `a machine is silent for three periods, has another configuration, or a wrong clock`(_ test: Case) {
    var machine = SeenMachine()
    machine.configuration = test.sections
    machine.period = test.period
    machine.lastSign = Self.noon - test.silence
    machine.clockLead = test.lead

    #expect(
      machine.problems(at: Self.noon, agreed: AgreedConfiguration(Self.sections)).map(\.word) == test.expected
    )
  }

  @Test func `the former configuration is none of its problems while it may be used`() {
    var machine = SeenMachine()
    machine.configuration = Self.sections
    machine.lastSign = Self.noon
    let next = AgreedConfiguration(Self.sections).followed(by: Self.others, formerEnd: Self.noon)

    #expect(machine.problems(at: Self.noon - .seconds(1), agreed: next).isEmpty)
    #expect(machine.problems(at: Self.noon, agreed: next).map(\.word) == ["configuration"])
    #expect(machine.problems(at: Self.noon, agreed: nil).isEmpty)
  }
}
