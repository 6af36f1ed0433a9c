// Push payloads: their values, and which are refused.

import TestKit
import Testing

@testable import Core

@Suite struct ReadPushTests {
  private func read(_ text: String) throws(PushProblem) -> PushPayload { try readPush(Array(text.utf8)) }

  /// The payload with this inside of `aps`.
  private func aps(_ inside: String) throws(PushProblem) -> PushPayload { try read("{\"aps\":{\(inside)}}") }

  private func problem(_ text: String) -> PushProblem? {
    do throws(PushProblem) {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the payload of the manual is read completely`() throws {
    let payload = try read(
      """
      {"aps": {"content-available": 1, "alert": {"title": "Planet", "body": "Episode 42"}, "badge": 3,
       "sound": "message", "interruption-level": "critical"},
       "feed": "planet", "content-id": 42, "part": "a/b"}
      """)

    #expect(payload.isContentAvailable)
    #expect(payload.alert == PushAlert(title: "Planet", body: "Episode 42"))
    #expect(payload.sound == "message")
    #expect(payload.urgency == .critical)
    #expect(payload.feed == "planet")
    #expect(
      payload.values == [PushValue(name: "content-id", text: "42"), PushValue(name: "part", text: "a/b")])
    #expect(payload.contentID == "42")
    #expect(
      payload.text
        == "{\"aps\":{\"content-available\":1,\"alert\":{\"title\":\"Planet\",\"body\":\"Episode 42\"},\"badge\":3,"
        + "\"sound\":\"message\",\"interruption-level\":\"critical\"},\"feed\":\"planet\",\"content-id\":42,\"part\":\"a/b\"}"
    )
  }

  @Test(arguments: [
    "{}", "{\"aps\":{}}", "{\"aps\":null,\"feed\":null}", "{\"aps\":{\"badge\":-1}}",
    "{\"aps\":{\"x\":[{\"y\":1e400}]}}",
  ])
  func `an empty payload is accepted`(text: String) throws {
    #expect(try read(text) == PushPayload(text: text))
  }

  @Test func `content-available, sound and interruption level have their values`() throws {
    for (value, isAvailable) in [("0", false), ("1", true), ("false", false), ("true", true)] {
      #expect(try aps("\"content-available\":\(value)").isContentAvailable == isAvailable)
    }
    for (value, sound) in [
      ("\"default\"", "default"), ("{\"critical\":1,\"name\":\"bell\",\"volume\":0.5}", "bell"),
      ("\"a\\u001b\\u0007b\"", "ab"), ("\"\"", nil), ("null", nil), ("{}", nil),
    ] { #expect(try aps("\"sound\":\(value)").sound == sound) }
    for (level, urgency) in [
      ("passive", Urgency.low), ("active", .normal), ("time-sensitive", .normal), ("critical", .critical),
    ] { #expect(try aps("\"interruption-level\":\"\(level)\"").urgency == urgency) }
  }

  private static let alerts: [(String, PushAlert?)] = [
    ("\"News\"", PushAlert(body: "News")), ("{\"body\":\"News\"}", PushAlert(body: "News")),
    ("{\"title\":\"T\",\"body\":\"B\"}", PushAlert(title: "T", body: "B")),
    ("{\"title\":\"T\",\"subtitle\":\"S\",\"body\":\"B\"}", PushAlert(title: "T", body: "S\nB")),
    ("{\"title\":\"T\"}", PushAlert(title: "T", body: "")), ("{\"subtitle\":\"S\"}", PushAlert(body: "S")),
    ("\"one\\n two\"", PushAlert(body: "one\ntwo")), ("\"\"", nil), ("\" \\u200b \"", nil), ("{}", nil),
    ("null", nil), ("{\"title\":\"\",\"body\":null}", nil), ("{\"loc-key\":\"K\",\"loc-args\":[\"a\"]}", nil),
    // Terminal escape sequences and bidirectional controls are removed.
    ("\"\\u001b[31mred\\u0007\"", PushAlert(body: "red")), ("\"a\\u0000b\"", PushAlert(body: "ab")),
    ("{\"title\":\"\\u001b]0;pwn\\u0007T\",\"body\":\"\"}", PushAlert(title: "T", body: "")),
    ("\"one\\r\\ntwo\\rthree\\bx\"", PushAlert(body: "one\ntwo threex")),
    ("\"\\u202egnp\\u202c\"", PushAlert(body: "gnp")), ("\"a\\ud800b\"", PushAlert(body: "a\u{FFFD}b")),
    ("\"\\ud83d\\ude00\"", PushAlert(body: "😀")),
    ("{\"title\":\"a\\nb\",\"body\":\"\"}", PushAlert(title: "a b", body: "")),
  ]

  @Test(arguments: alerts.rows)
  func `an alert is text for people`(row: TableRow) throws {
    let (value, alert) = Self.alerts[row.index]

    #expect(try aps("\"alert\":\(value)").alert == alert)
  }

  @Test(arguments: [
    ("aps.content-available", "{\"aps\":{\"content-available\":2}}"),
    ("aps.content-available", "{\"aps\":{\"content-available\":1.0}}"),
    ("aps.content-available", "{\"aps\":{\"content-available\":\"1\"}}"),
    ("aps.content-available", "{\"aps\":{\"content-available\":null}}"),
    ("aps.content-available", "{\"aps\":{\"content-available\":[1]}}"), ("aps", "{\"aps\":1}"),
    ("aps", "{\"aps\":[{}]}"), ("aps", "{\"aps\":\"x\"}"), ("aps.alert", "{\"aps\":{\"alert\":1}}"),
    ("aps.alert", "{\"aps\":{\"alert\":[\"a\"]}}"), ("aps.alert", "{\"aps\":{\"alert\":true}}"),
    ("aps.alert.title", "{\"aps\":{\"alert\":{\"title\":1}}}"),
    ("aps.alert.body", "{\"aps\":{\"alert\":{\"body\":{}}}}"),
    ("aps.sound", "{\"aps\":{\"sound\":1}}"),
    ("aps.sound.name", "{\"aps\":{\"sound\":{\"name\":1}}}"),
    ("aps.interruption-level", "{\"aps\":{\"interruption-level\":\"loud\"}}"),
    ("aps.interruption-level", "{\"aps\":{\"interruption-level\":1}}"), ("feed", "{\"feed\":1}"),
    ("feed", "{\"feed\":[\"a\"]}"), ("feed", "{\"feed\":true}"),
    // Ignored, they would let pushes replace each other.
    ("content-id", "{\"content-id\":1.5}"), ("content-id", "{\"content-id\":1e3}"),
    ("content-id", "{\"content-id\":true}"), ("content-id", "{\"content-id\":[1]}"),
    ("content-id", "{\"content-id\":{}}"),
    ("content-id", "{\"content-id\":\"\(String(repeating: "x", count: 257))\"}"),
    ("content-id", "{\"content-id\":\(String(repeating: "9", count: 257))}"),
    // Without invisible characters they would be other names.
    ("feed", "{\"feed\":\"a\\u0000\"}"), ("feed", "{\"feed\":\"\\ud800a\"}"), ("feed", "{\"feed\":\"a\\b\"}"),
    ("content-id", "{\"content-id\":\"z\\u0000z\"}"), ("content-id", "{\"content-id\":\"z\\udfffz\"}"),
    ("content-id", "{\"content-id\":\"z\\r\"}"), ("content-id", "{\"content-id\":\"\u{7F}\"}"),
    ("content-id", "{\"content-id\":\"\\u009b\"}"),
  ])
  func `a wrong value is refused, and its key is named`(key: String, text: String) {
    guard case .wrongValue(key, expected: _) = problem(text) else {
      Issue.record("\(String(describing: problem(text)))")
      return
    }
  }

  /// Nobody can tell which value counts.
  @Test(arguments: [
    ("feed", "{\"feed\":\"a\",\"feed\":\"b\"}"), ("aps", "{\"aps\":{},\"aps\":{}}"),
    ("aps.badge", "{\"aps\":{\"badge\":1,\"badge\":1}}"),
    ("aps.alert.body", "{\"aps\":{\"alert\":{\"body\":\"a\",\"body\":\"b\"}}}"),
    ("feed", "{\"feed\":\"a\",\"\\u0066eed\":\"b\"}"),
    ("content-id", "{\"content-id\":1,\"content-id\":null}"),
  ])
  func `a repeated key is refused and named`(key: String, text: String) {
    #expect(problem(text) == .repeated(key: key))
  }

  @Test(arguments: [
    ("\"\"", ""), ("\"ü \\/ 😀\"", "ü / 😀"), ("-7", "-7"), ("null", nil),
    ("\"\(String(repeating: "x", count: 256))\"", String(repeating: "x", count: 256)),
  ])
  func `a content-id is text or a whole number`(value: String, id: String?) throws {
    #expect(try read("{\"content-id\":\(value)}").contentID == id)
  }

  @Test(arguments: [
    "", " ", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{a:1}", "{'a':1}",
    "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":NaN}",
    "{\"a\":True}", "{\"a\":nul}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\u12g4\"}",
    "{\"a\":\"\n\"}", "{\"a\":\"\0\"}", "{\"a\":\"", "{\"a\":[1,]}", "{\"a\":[1}", "{} {}", "{}x", "{}\0",
    "// c\n{}", "{}//", "\u{FEFF}{}", "[1", "{\"a\":tru\\u0065}",
  ])
  func `invalid JSON is refused`(text: String) {
    #expect(problem(text) == .notJSON)
  }

  @Test func `bytes that are not UTF-8, and JSON that is not an object, are refused`() {
    for bytes in [
      [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0xED, 0xA0, 0x80], [0xFE, 0xFF, 0x00, 0x7B],
    ] as [[UInt8]] { #expect(throws: PushProblem.notJSON) { try readPush(bytes) } }
    for text in ["[]", "1", "\"x\"", "null", "true", " [ { } ] "] { #expect(problem(text) == .notJSON) }
  }

  @Test func `a payload has at most 4096 bytes`() throws {
    let long = "{\"a\":\"" + String(repeating: "x", count: 4088) + "\"}"

    #expect(long.utf8.count == 4096)
    #expect(try read(long).values == [])
    #expect(problem(long + " ") == .tooLarge)
    #expect(problem(String(repeating: " ", count: 5000)) == .tooLarge)
  }

  @Test(arguments: ["ü", "א", "😀"])
  func `the size is counted in bytes of any characters`(piece: String) throws {
    let text = "{\"a\":\"" + String(repeating: piece, count: 4088 / piece.utf8.count) + "\"}"

    let payload = try read(text)

    #expect(try read(payload.text) == payload)
  }

  @Test func `strings and whole numbers of at most 256 bytes are values`() throws {
    let long = String(repeating: "x", count: 256)
    let payload = try read(
      """
      {"a":"","b":0,"c":-7,"d":1.0,"e":1e3,"f":true,"g":null,"h":{"i":1},"j":["k"],"l":"\(long)","m":"\(long)x",
       "n":\(String(repeating: "9", count: 256)),"o":\(String(repeating: "9", count: 257)),"p":"a\\u0000\\ud800\\/b","Q r":"ü"}
      """)

    #expect(
      payload.values.map { "\($0.name)=\($0.text)" } == [
        "a=", "b=0", "c=-7", "l=" + long, "n=" + String(repeating: "9", count: 256), "p=a\0\u{FFFD}/b",
        "Q r=ü",
      ])
  }

  @Test(arguments: [
    (" { \"a\" : [ 1 , { } , \"x y\" ] } \r\n\t", "{\"a\":[1,{},\"x y\"]}"),
    ("{\"a\":1E+400,\"b\":-0.0e-1}", "{\"a\":1E+400,\"b\":-0.0e-1}"),
    ("{\"a\":\"\\ud800\\u0000\\n\"}", "{\"a\":\"\u{FFFD}\\u0000\\n\"}"),
    (
      "{ \"a\u{202E}\":\"\u{9B}31m\u{7F}\u{2028}\"}",
      "{\"a\\u202e\":\"\\u009b31m\\u007f\\u2028\"}"
    ),
  ])
  func `the text is the payload on one line, in which nothing can break out`(written: String, text: String)
    throws
  {
    let payload = try read(written)

    #expect(payload.text == text)
    #expect(try read(payload.text) == payload)
  }

  @Test func `nesting that is too deep or broken is refused`() throws {
    let deep = 90
    let nested = "{\"a\":" + String(repeating: "[", count: deep) + String(repeating: "]", count: deep) + "}"
    let objects = String(repeating: "{\"a\":", count: 600) + "1" + String(repeating: "}", count: 600)

    #expect(try read(nested).values == [])
    #expect(problem(objects) == .notJSON)
    #expect(problem(String(nested.dropLast(2)) + "}") == .notJSON)
    #expect(problem(String(repeating: "[", count: 4096)) == .notJSON)
  }
}
