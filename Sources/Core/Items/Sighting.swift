// The items of one document as classification sees them.

/// One item of a document, with what it may be told apart by.
struct Sighting {
  /// What the document says.
  let item: ParsedItem
  /// Its place in the document.
  let place: Int
  /// Everything that may identify it.
  let keys: IdentityKeys
  /// When it was published, else when it changed.
  let date: Instant?

  init(_ item: ParsedItem, place: Int) {
    self.item = item
    self.place = place
    keys = item.identityKeys
    date = item.published ?? item.updated
  }

  /// Whether the document dates it later than it was dated when it was stored.
  func isLater(than known: KnownItem) -> Bool {
    guard let date, let published = known.published else { return false }
    return date > published
  }

  /// Whether its title is that of a known item; without titles the contents decide.
  func hasTitle(of known: KnownItem) -> Bool {
    keys.title == known.keys.title && (keys.title != nil || keys.content == known.keys.content)
  }
}

/// The document's items with the newest last: by date where all have one, else against the order of the
/// document; those that say nothing are left out, and once it should stop all others too.
func sightings(_ items: [ParsedItem], _ shouldStop: ShouldStop) -> [Sighting] {
  var reversed: [Sighting] = []
  reversed.reserveCapacity(items.count)
  for (place, item) in items.enumerated().reversed() where !item.saysNothing {
    if place % 256 == 255, shouldStop() { return [] }
    reversed.append(Sighting(item, place: place))
  }
  let dates = reversed.compactMap(\.date)
  guard dates.count == reversed.count else { return reversed }
  // The order of the document decides between equal dates, so the sort must be stable.
  return zip(dates, reversed).enumerated().sorted {
    ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
  }.map(\.element.1)
}
