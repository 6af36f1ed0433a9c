// `when` of a feed and of its downloads: the conditions under which they are fetched.

import Core

extension Conditions {
  static let keysOfFeed = keys("feeds.*.when")
  static let keysOfDownload = keys("feeds.*.download.when")

  private static func keys(_ path: String) -> Keys<Conditions> {
    Keys(path, Conditions()) { keys in
      keys.key("power", \.power, .word, "ac: not on battery")
      keys.key(
        "network", \.network, .word,
        "unmetered: not over a network that is known to cost by volume")
      keys.key(
        "command", \.command,
        .listOf("text") { field throws(Mistake) in
          if case .sequence(let words) = field.node.content, words.isEmpty { return [] }
          return try field.command(expecting: example)
        },
        "a program and its arguments that says yes by its exit status 0")
      keys.key(
        "at-latest", \.atLatest, .interval(.zero, .days(365)),
        "the longest wait for all of these; then it is fetched anyway")
    }
  }

  private static let example = "a list such as [at-home, --quiet]"
}
