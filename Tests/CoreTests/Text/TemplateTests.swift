// Templates of `--format`.

import Core
import Testing

@Suite struct TemplateTests {
  @Test(arguments: [
    (#"{a}\t{b}"#, "1\t2"), (#"{a}\n{b}\n"#, "1\n2\n"), (#"{a}\\t"#, #"1\t"#), (#"\\{a}\\"#, #"\1\"#),
    (#"{a}\x\"#, #"1\x\"#), (#"{{\t}}{a}"#, "{\t}1"), (#"\\\n{a}"#, "\\\n1"),
  ])
  func `tabs, line breaks and backslashes are written as for printf`(template: String, text: String) throws {
    let values = ["a": "1", "b": "2"]

    #expect(try Template(parsing: template).unescaped.filled { name, _ in values[name] ?? "" } == text)
  }
}
