// Which configurations runs may use, and the form in which a store keeps that.

import Core
import Fleet
import Testing

@Suite struct AgreedConfigurationTests {
  private let old = SharedSections(["feeds": 1, "hooks": 2])
  private let new = SharedSections(["feeds": 3, "hooks": 2])
  private let noon = Instant(secondsSince1970: 1_793_620_800)

  @Test func `only the present configuration may be used, and the former one for a while`() {
    let first = AgreedConfiguration(old)
    let next = first.followed(by: new, formerEnd: noon)

    #expect(first.differences(from: old, at: noon) == [])
    #expect(first.differences(from: new, at: noon) == ["feeds"])
    #expect(next.differences(from: new, at: noon + .hours(9)) == [])
    #expect(next.differences(from: old, at: noon - .seconds(1)) == [])
    #expect(next.differences(from: old, at: noon) == ["feeds"])
    #expect(next.differences(from: SharedSections(["feeds": 3]), at: noon) == ["hooks"])
  }

  @Test func `its text can be read again`() {
    let first = AgreedConfiguration(old)
    let next = first.followed(by: new, formerEnd: noon)

    #expect(AgreedConfiguration(text: first.text) == first)
    #expect(AgreedConfiguration(text: next.text) == next)
    #expect(first.text == "feeds=1 hooks=2")
  }

  @Test(arguments: [
    "", "/etc/bgfetch/bgfetch.yaml", "=", "feeds=x hooks", "\n\n", "feeds=\nfeeds=1\nnever", "a=1\nb=2\n\n\n",
  ])
  func `any other text is nobody's configuration`(text: String) {
    #expect(AgreedConfiguration(text: text).differences(from: old, at: noon).contains("hooks"))
  }
}
