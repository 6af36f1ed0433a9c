// Names for imported feeds. A name must last, because the feed's state is stored under it.

/// Gives each feed a distinct name.
struct FeedNaming {
  private var taken: Set<String> = []

  /// The longest name made from a title or address, in bytes.
  private static let limit = 40

  /// A name for a feed, made from its title, else from its address.
  ///
  /// Names are in lower case, so that no two differ in case alone. If a name is taken, the later feed's name ends with a
  /// part of its address's fingerprint. A number would change when the list changes.
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

/// A short description of an address: its host and the meaningful steps of its path.
///
/// The query is left out. It may be secret, and names are printed everywhere.
private func describedAddress(_ address: String) -> String {
  let path = FileAddress(address)?.path ?? URIReference(address).path
  var host = (WebAddress(address)?.host ?? "")[...]
  if host.hasPrefix("www.") { host = host.dropFirst(4) }
  let steps = path.lowercased().split(separator: "/").map { step in
    let dot = step.lastIndex(of: ".") ?? step.endIndex
    return fileEndings.contains(step[dot...]) ? step[..<dot] : step
  }
  let telling = steps.filter { !commonSteps.contains($0) && !$0.contains("%") }
  // The last step of a file's path says most about it. A web address needs its whole path.
  return ([host] + (host.isEmpty ? telling.suffix(1) : telling)).filter { !$0.isEmpty }.joined(separator: "-")
}

private let fileEndings: Set<Substring> = [
  ".xml", ".rss", ".rdf", ".atom", ".json", ".php", ".html", ".htm", ".aspx",
]

private let commonSteps: Set<Substring> = [
  "feed", "feeds", "rss", "rss2", "atom", "xml", "rdf", "index", "default",
]
