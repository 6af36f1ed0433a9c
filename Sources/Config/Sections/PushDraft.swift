// `push`: what a payload may fetch, and how often.

import Core

/// The `push` of a feed while it is read: first that of `defaults`, then the feed's own keys.
struct PushDraft {
  private var spec = PushSpec()

  /// The settings, shared by all feeds that add nothing to `defaults`.
  private(set) var shared = SharedPush.standard

  mutating func read(_ keys: Section) {
    keys.read("url", into: &spec.url, unset: nil) { $0.named("push.url").pushAddress() }
    keys.read("description", into: &spec.description, unset: nil) {
      $0.named("push.description").pushDescription()
    }
    keys.read("limit", into: &spec.limit, unset: PushLimit()) { $0.named("push.limit").pushLimit() }
    shared = SharedPush(spec)
  }

  /// The pushes of a feed of kind asset; keys of `defaults` about other files do not apply to it.
  var sharedOfAsset: SharedPush {
    guard spec.url != nil || spec.description != nil else { return shared }
    var limitOnly = PushSpec()
    limitOnly.limit = spec.limit
    return SharedPush(limitOnly)
  }

  /// Warns of a description without a `url`, because then a push downloads no file.
  func warnOfDescriptionAlone(_ field: Field) {
    guard spec.url == nil, let description = field.entry(under: "description"), !description.node.isNone
    else { return }
    field.pass.warn(
      "push.description has no effect without push.url", at: description.keyPlace,
      cure: "add url: https://…")
  }
}

extension Field {
  /// The number of fetches that pushes may cause in a period: `6/1h`.
  fileprivate func pushLimit() -> PushLimit? {
    let expected = "a number and a duration such as 6/1h"
    guard let text = text(expecting: expected) else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]), let interval = Interval(text: String(parts[1])) else {
      let what =
        Int(text) == nil
        ? "\(name) \"\(shown(text))\" is not a number in a duration"
        : "\(name) \(text) has no duration"
      report(what, cure: "write \(likelyPushLimit(text) ?? expected)")
      return nil
    }
    if !(1...1000).contains(count) {
      report("\(name) \(shown(text)) is out of range", cure: "write 1 to 1000 before the slash")
    }
    if interval < .seconds(1) || interval > .days(30) {
      report("\(name) \(shown(text)) is out of range", cure: "write 1s to 30d after the slash")
    }
    return PushLimit(count: count, interval: interval)
  }
}

/// The meaning of `6`, `6 per hour`, `6/h` or `6 a day`, or nil if it is unclear.
func likelyPushLimit(_ text: String) -> String? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  guard let count = Int(digits), (1...1000).contains(count) else { return nil }
  let words = text.dropFirst(digits.count).split { $0 == " " || $0 == "/" }
    .filter { !["per", "a", "an", "each", "every", "in", "times", "x"].contains($0.lowercased()) }
  guard !words.isEmpty else { return "\(count)/1h, \(count)/1d or another duration" }
  let unit = words.joined(separator: " ")
  let length = Interval(text: unit)?.text ?? likelyInterval(unit) ?? likelyInterval("1 " + unit)
  return length.map { "\(count)/\($0)" }
}
