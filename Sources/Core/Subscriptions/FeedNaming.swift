// Names for feeds that come from a list of subscriptions. A name must last: it is what a feed keeps its past under.

/// Gives each feed a name of its own.
struct FeedNaming {
  private var taken: Set<String> = []

  /// The longest name that is made of a title or address, in bytes.
  private static let limit = 40

  /// A name for a feed, made of its title, else of its address.
  ///
  /// Names are in lower case, so that no two differ in case alone. Where a name is taken, the later feed gets a piece of
  /// its address's fingerprint behind it instead of a number: what is added to the list later then changes no name that
  /// was given before.
  mutating func name(of subscription: Subscription, address: String) -> FeedName? {
    let base =
      subscription.title.flatMap { latinWords($0, keepsDots: true, limit: Self.limit) }
      ?? latinWords(describedAddress(address), keepsDots: true, limit: Self.limit) ?? "feed"
    var candidate = base
    var mark = Fingerprint()
    while !taken.insert(candidate).inserted {
      mark.add(address)
      candidate = base + "-" + String(mark.value % 1_679_616, radix: 36)
    }
    return FeedName(candidate)
  }
}

/// What tells an address from others, in a few words: its host and the steps of its path that mean something.
///
/// Not its query, which may be secret, as names are printed everywhere.
private func describedAddress(_ address: String) -> String {
  let path = FileAddress(address)?.path ?? URIReference(address).path
  var host = (WebAddress(address)?.host ?? "")[...]
  if host.hasPrefix("www.") { host = host.dropFirst(4) }
  let steps = path.lowercased().split(separator: "/").map { step in
    let dot = step.lastIndex(of: ".") ?? step.endIndex
    return fileEndings.contains(step[dot...]) ? step[..<dot] : step
  }
  let telling = steps.filter { !commonSteps.contains($0) && !$0.contains("%") }
  // The last steps of a file's path say most about it; of a web address, all of them do.
  return ([host] + (host.isEmpty ? telling.suffix(1) : telling)).filter { !$0.isEmpty }.joined(separator: "-")
}

private let fileEndings: Set<Substring> = [
  ".xml", ".rss", ".rdf", ".atom", ".json", ".php", ".html", ".htm", ".aspx",
]

private let commonSteps: Set<Substring> = [
  "feed", "feeds", "rss", "rss2", "atom", "xml", "rdf", "index", "default",
]
