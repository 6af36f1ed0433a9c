// Superscripts and subscripts in one line of text: never joined with the word before.

import Core
import Testing

@Suite struct ScriptTextTests {
  @Test(arguments: [
    ("10<sup>6</sup> m", "10⁶ m"), ("10<sup>-6</sup>", "10⁻⁶"), ("H<sub>2</sub>O", "H₂O"),
    ("CO<sub>2</sub>e", "CO₂e"), ("the 5<sup>th</sup> day", "the 5ᵗʰ day"), ("x<sup>n+1</sup>", "xⁿ⁺¹"),
    ("2<sup>n/2</sup>", "2^(n/2)"), ("e<sup>∞</sup>", "e^∞"), ("a<sub>Q</sub>", "a_Q"),
    ("word<sup>1</sup> next", "word¹ next"), ("word<sup>[1]</sup>", "word[1]"), ("Name<sup>®</sup>", "Name®"),
    ("Name<sup>TM</sup>", "Name™"), ("Name <sup>new</sup> x", "Name new x"),
    ("<sup>1</sup> A note", "¹ A note"),
    ("Name<sup>this is a long phrase</sup>", "Name this is a long phrase"), ("10<sup> 6 </sup>x", "10 ⁶ x"),
    ("10<sup>6", "10⁶"), ("x<sup><a href=y>2</a></sup>", "x²"), ("a<sup></sup>b", "ab"),
  ])
  func `a superscript stays one in text and in titles`(html: String, expected: String) {
    #expect(plainText(fromHTML: html, limit: 1000) == expected)
    // A title may be text that only looks like HTML.
    guard html.contains("</sup>") || html.contains("</sub>") else { return }
    let bytes = Array(html.utf8)
    #expect(bytes.withUnsafeBufferPointer { plainText($0, .title, limit: 1000) } == expected)
  }
}
