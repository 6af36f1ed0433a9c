// `when` of a feed and of its downloads.

import Config
import Core
import Testing

@Suite struct ConditionKeyTests {
  private static let values: [(String, @Sendable (inout Conditions) -> Void)] = [
    ("{}", { _ in }), ("{power: ac}", { $0.power = .ac }),
    ("{network: unmetered}", { $0.network = .unmetered }), ("{network: any}", { $0.network = .any }),
    ("{command: [at-home, -q, 7]}", { $0.command = ["at-home", "-q", "7"] }), ("{command: none}", { _ in }),
    ("{command: [~/at-home]}", { $0.command = ["/home/me/at-home"] }),
    ("{at-latest: 0s}", { $0.atLatest = .zero }), ("{at-latest: 5h}", { $0.atLatest = .hours(5) }),
  ]

  @Test(arguments: values)
  func `conditions are those of fetches, or of downloads`(
    text: String, change: @Sendable (inout Conditions) -> Void
  ) throws {
    var expected = Conditions()
    change(&expected)

    #expect(try feed("when: \(text)").conditions == expected)
    #expect(try feed("download: {when: \(text)}").download?.conditions == expected)
    #expect(try feed("when: \(text)").download?.conditions == nil)
    #expect(try feed("download: {when: \(text)}").conditions == nil)
  }

  @Test func `a feed adds to the conditions of defaults, and none unsets them`() throws {
    let defaults = "{when: {power: ac, at-latest: 1h}, download: {when: {network: unmetered}}}"

    let both = try feed("when: {command: [at-home], power: any}", defaults: defaults)
    #expect(both.conditions?.command == ["at-home"])
    #expect(both.conditions?.power == .any)
    #expect(both.conditions?.atLatest == .hours(1))
    #expect(both.download?.conditions?.network == .unmetered)
    #expect(try feed("when: none, download: {when: none}", defaults: defaults).conditions == nil)
    #expect(try feed("title: x").download == nil)
  }
}
