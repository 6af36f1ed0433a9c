// `when` of a feed and of its downloads.

import Config
import Core
import Testing

@Suite struct ConditionTests {
  private static let values: [(String, @Sendable (inout Conditions) -> Void)] = [
    ("{}", { _ in }), ("{power: ac}", { $0.power = .ac }), ("{battery: 30%}", { $0.battery = 30 }),
    ("{battery: 100%}", { $0.battery = 100 }), ("{battery: none}", { _ in }),
    ("{network: unmetered}", { $0.network = .unmetered }), ("{network: any}", { $0.network = .any }),
    ("{network-names: [home, \"office-*\", 7]}", { $0.networkNames = ["home", "office-*", "7"] }),
    ("{session: active}", { $0.session = .active }), ("{session: idle}", { $0.session = .idle }),
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
    let defaults = "{when: {power: ac, at-latest: 1h}, download: {when: {session: idle}}}"

    let both = try feed("when: {battery: 20%, power: any}", defaults: defaults)
    #expect(both.conditions?.battery == 20 && both.conditions?.power == .any)
    #expect(both.conditions?.atLatest == .hours(1) && both.download?.conditions?.session == .idle)
    #expect(try feed("when: none, download: {when: none}", defaults: defaults).conditions == nil)
    #expect(try feed("title: x").download == nil)
    #expect(try feed("download: {}").download?.meteredMaxSize == ByteCount(20 << 20))
    #expect(try feed("download: {metered-max-size: none}").download?.meteredMaxSize == nil)
  }
}
