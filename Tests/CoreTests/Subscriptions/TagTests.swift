// The texts that are tags.

import Core
import Testing

@Suite struct TagTests {
  @Test(arguments: [
    "linux", "_x", "v1.2-rc", "Grüße", "gru\u{308}n", "新闻", "हिन्दी", "Ⅷ", String(repeating: "a", count: 100),
  ])
  func `a tag has letters and digits of any script`(text: String) {
    #expect(isTag(text))
  }

  /// U+0D4E and the like make one Character of themselves and any scalar after them.
  @Test(arguments: [
    "", "-a", ".a", "\u{301}a", "\u{D4E}`touch${IFS}x`", "a\u{D4E}$", "\u{600};", "a\u{600}\n", "a`\u{301}",
    "a\u{200D}\"", "a b", "a$(x)", "a\r\nb", "a\u{202E}b", String(repeating: "a", count: 101),
    "a" + String(repeating: "\u{301}", count: 100),
  ])
  func `a scalar that is none is found, whatever stands before or after it`(text: String) {
    #expect(!isTag(text))
  }
}
