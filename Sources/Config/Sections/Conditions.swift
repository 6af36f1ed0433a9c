// `when` of a feed and of its downloads: the conditions under which they are fetched.

import Core

extension Conditions {
  static func keys(_ path: String) -> Keys<Conditions> {
    Keys(path, Conditions()) { keys in
      keys.key("power", \.power, .word, "ac: not on battery")
      keys.key("battery", \.battery, .percentageOrNone, "the least charge on battery, for example 30%")
      keys.key(
        "network", \.network, .word,
        "unmetered: not over a network that is known to cost by volume")
      keys.key(
        "network-names", \.networkNames, .networkNames,
        "only on these networks: globs of names of connections or Wi-Fi networks")
      keys.key(
        "session", \.session, .word, "active: while you use the machine; idle: while you do not")
      keys.key(
        "at-latest", \.atLatest, .interval(.zero, .days(365)),
        "the longest wait for all of these; then it is fetched anyway")
    }
  }
}

extension ValueType<Int?> {
  fileprivate static let percentageOrNone = Self(
    "percentage or none", none: .some(nil), write: { $0.map { "\($0)%" } ?? "none" }
  ) { field throws(Mistake) in
    let text = try field.text(expecting: "a percentage such as 30%")
    guard let number = Int(text.dropLast()), text == "\(number)%", (1...100).contains(number) else {
      throw field.mistake(
        "\(field.name) \"\(shown(text))\" is not a percentage", cure: "write 1% to 100%, for example 30%")
    }
    return number
  }
}

extension ValueType<[String]> {
  fileprivate static let networkNames = listOf("globs") { field throws(Mistake) in
    try field.values(expecting: "a list such as [home, \"office-*\"]", insteadOf: { "\"\($0)\"" }) {
      entry throws(Mistake) in
      try entry.someText(expecting: "the name of a network, or a glob")
    }
  }
}
