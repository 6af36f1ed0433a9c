// An item while it is read: several elements may say the same thing, and the best one counts.
// Also the elements that RSS and Atom share: images, persons and lengths.

import Core

struct ItemDraft {
  /// The parts of which any value counts; the ranked ones are still missing.
  var item = ParsedItem()
  var title = Ranked<String>()
  var link = Ranked<String>()
  var published = Ranked<Instant>()
  var summary = Ranked<ItemMarkup>()
  var content = Ranked<ItemMarkup>()
  var authors = Authors()
  private var duration = Ranked<Interval>()
  private var season = Ranked<Int>()
  private var episode = Ranked<Int>()
  /// The number of files, images and categories beyond `maximumCount`.
  private var leftOut = 0

  /// A value that is replaced by one of a higher rank.
  struct Ranked<Value> {
    private(set) var value: Value?
    private var rank = 0

    /// Takes a value, unless there is one of this rank or a higher one.
    mutating func accept(_ new: Value?, rank newRank: Int) {
      guard let new, newRank > rank else { return }
      value = new
      rank = newRank
    }
  }

  /// The names of authors, of which those named by elements of the highest rank count.
  struct Authors {
    private var names: [String] = []
    private var rank = 0

    /// Adds an author.
    ///
    /// One named by an element of a higher rank replaces all others.
    mutating func add(_ author: String?, rank newRank: Int) {
      guard let author, newRank >= rank else { return }
      if newRank > rank { names = [] }
      guard names.count < 20, !names.contains(where: { isSame($0, author) }) else { return }
      rank = newRank
      names.append(author)
    }

    /// The names in one text; nil if there are none.
    var text: String? { names.isEmpty ? nil : names.joined(separator: ", ") }
  }

  /// The maximum number of files, images and categories of an item; further ones are left out.
  static let maximumCount = 200

  /// Adds an image, unless the item already has it.
  mutating func add(image url: String?) {
    guard let url, hasRoom(item.images.count), !item.images.contains(where: { isSame($0.url, url) }) else {
      return
    }
    item.images.append(Enclosure(url: url))
  }

  mutating func hasRoom(_ count: Int) -> Bool {
    leftOut += count < Self.maximumCount ? 0 : 1
    return count < Self.maximumCount
  }

  /// Adds a category, unless the item already has it.
  mutating func add(category: String?) {
    guard let category = category.map({ graphemePrefix(of: $0, limit: titleLimit) }),
      hasRoom(item.categories.count),
      !item.categories.contains(where: { isSame($0, category) })
    else { return }
    item.categories.append(category)
  }

  /// Takes the page with the comments, unless there is one or it is not on the web.
  mutating func accept(comments page: String?) {
    guard item.comments == nil, let page, isWebAddress(page) else { return }
    item.comments = page
  }

  /// Takes the numbers of an episode: from Apple's elements (rank 2), or those of Podcasting 2.0, Media RSS and JSON
  /// Feed (rank 1).
  mutating func accept(
    duration: Interval? = nil, season: Int? = nil, episode: Int? = nil, rank: Int
  ) {
    self.duration.accept(duration, rank: rank)
    self.season.accept(season, rank: rank)
    self.episode.accept(episode, rank: rank)
  }

  /// The finished item as of `item`; nil if it has no id, title, link or summary.
  func identifiedItem(_ links: inout LinkResolver, keepsLines: Bool = true) -> ParsedItem? {
    let item = item(&links, keepsLines: keepsLines)
    return item.id != nil || item.title != nil || item.link != nil || item.summary != nil ? item : nil
  }

  /// The finished item, which may be empty.
  ///
  /// Addresses in its texts become absolute; parts that were left out are counted.
  ///
  /// - Parameter keepsLines: whether the ends of lines in a text without any element are the author's.
  func item(_ links: inout LinkResolver, keepsLines: Bool = true) -> ParsedItem {
    var item = item
    // A title that was cut between two scalars has all or nearly all of the bytes that it may have.
    links.partsLeftOut += leftOut + ((title.value?.utf8.count ?? 0) > titleLimit - 4 ? 1 : 0)
    item.id = item.id.map { shortIdentity($0, limit: titleLimit) }
    item.title = title.value
    item.link = link.value
    item.published = published.value
    func text(_ markup: ItemMarkup?) -> String? {
      (keepsLines ? markup?.keepingLines() : markup)?.resolved(at: link.value, &links)
    }
    item.content = text(content.value)
    item.summary = text(summary.value)
    item.author = authors.text
    item.duration = duration.value
    item.season = season.value
    item.episode = episode.value
    return item
  }
}

extension ParsedFeed {
  var isFull: Bool { items.count >= Self.maximumItems }

  /// Takes what the end of a document decides: whether it is complete, and the authors of items that name none.
  mutating func finish(_ xml: borrowing XMLScanner, _ authors: ItemDraft.Authors) {
    isComplete = !xml.isTruncated
    partsLeftOut = xml.links.partsLeftOut + xml.skippedElements
    inherit(authors)
  }

  /// Gives the feed's authors to the items without one.
  mutating func inherit(_ authors: ItemDraft.Authors) {
    guard let author = authors.text else { return }
    for index in items.indices where items[index].author == nil { items[index].author = author }
  }

  /// Adds an item, or counts it as left out if there are too many.
  mutating func accept(_ item: ParsedItem?) {
    guard let item else { return }
    guard !isFull else {
      leftOut += 1
      return
    }
    // A long list is not copied again and again while it grows: memory that is never written costs nothing.
    if items.count == 1000 { items.reserveCapacity(Self.maximumItems) }
    items.append(item)
  }
}

/// Reads an enclosure of RSS, whose address is in an attribute, or in careless feeds in its text.
func parseEnclosure(_ xml: inout XMLScanner, _ draft: inout ItemDraft) {
  let (type, length) = (xml.attributeText(.type), xml.attributeLength(.length))
  let attribute = xml.attributeLink(.url) ?? xml.attributeLink(.href) ?? xml.attributeLink(.resource)
  guard let url = attribute ?? xml.addressInText() else { return }
  draft.add(Enclosure(url: url, type: type, length: length))
}

extension XMLScanner {
  /// Reads the trimmed text of the element that was opened last; nil if it is empty.
  mutating func trimmedText() -> String? { nonEmpty(trimmed(text().bytes)) }

  /// Reads the trimmed text of the element that was opened last, with the base that holds in it; nil if it is empty.
  mutating func itemMarkup() -> ItemMarkup? {
    let base = declaredBase
    return trimmedText().map { ItemMarkup(text: $0, base: base) }
  }

  /// Reads the date in the element that was opened last.
  mutating func date() -> Instant? { feedDate(text().bytes) }

  /// The address of the image in the element that was opened last: from an attribute, its `url`, or its text.
  mutating func imageAddress() -> String? {
    if let address = attributeLink(.href) ?? attributeLink(.url) { return address }
    if let run = parseSingleRun() { return resolved(run) }
    let depth = depth
    var address: String?
    while let child = nextChild(of: depth), !child.isItem {
      if child.word == .url { address = address ?? resolved(text().bytes) }
    }
    return address
  }

  /// The link in the text of the element that was opened last; nil if the text is words.
  mutating func addressInText() -> String? {
    let text = trimmed(text().bytes)
    let isPath = text.allSatisfy { $0 > 0x20 } && text.contains { "./".utf8.contains($0) }
    return isPath || hasPrefix(text, "http") ? resolved(text) : nil
  }

  /// The length in bytes in an attribute; nil if it is zero or not a number.
  func attributeLength(_ word: Word) -> Int64? {
    guard let value = attribute(word), let length = number(trimmed(value)), length > 0 else { return nil }
    return length
  }

  /// The name of the person in the element that was opened last: from its `name`, else its `email`, else its text.
  mutating func personName() -> String? {
    if let run = parseSingleRun() { return plainTitle(run, .title) }
    let depth = depth
    var name: String?
    var email: String?
    while let child = nextChild(of: depth) {
      switch child.word {
      case .name: name = name ?? plainTitle(text(), .title)
      case .email: email = email ?? plainTitle(text(), .text)
      default: break
      }
    }
    return name ?? email
  }
}

/// A playing time: seconds, minutes and seconds, or hours, minutes and seconds, with colons between them.
///
/// A fraction is cut off. Nil for zero, for anything else, and for more than 30 days, which no recording lasts.
func playingTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Interval? {
  let text = trimmed(bytes)
  guard (1...20).contains(text.count) else { return nil }
  var seconds: Int64 = 0
  var parts = 0
  for part in text.split(separator: ":", omittingEmptySubsequences: false) {
    parts += 1
    let whole = UnsafeBufferPointer(rebasing: part.prefix { $0 != "." })
    // Nine digits, so that no sum overflows.
    guard parts <= 3, whole.count <= 9, let value = number(whole) else { return nil }
    seconds = seconds * 60 + value
  }
  return (1...Interval.days(30).seconds).contains(seconds) ? .seconds(seconds) : nil
}

/// The number of a season or episode: a whole number from 1 on, with at most nine digits.
func ordinal(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
  let text = trimmed(bytes)
  guard text.count <= 9, let value = number(text), value > 0 else { return nil }
  return Int(value)
}

/// The maximum length of a title, name, category or id, in bytes.
let titleLimit = 4096

/// A title as plain text, white space folded; nil if nothing is left.
func plainTitle(_ title: XMLText, _ kind: ReducedMarkup) -> String? {
  plainTitle(title.bytes, title.isMarkup ? .title : kind)
}

/// A title as plain text, white space folded; nil if nothing is left.
func plainTitle(_ title: UnsafeBufferPointer<UInt8>, _ kind: ReducedMarkup) -> String? {
  let title = trimmed(title)
  let isText = !has("<", in: title) && !has("&", in: title)
  let text = plainText(title, isText ? .text : kind, limit: titleLimit)
  // Other invisible characters go when the item is stored: what an item is known by has them.
  let hasControls = text.withBytes { has(0x1B, in: $0) || has(0x07, in: $0) }
  let clean = hasControls ? cleanText(text, limit: titleLimit) : text
  return clean.isEmpty ? nil : clean
}

// MARK: Dates

/// The moment of a date in a feed; nil if it cannot be understood.
///
/// Understands the dates of `writtenDate`, and a time since 1970 in seconds or finer units.
func feedDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  let bytes = trimmed(bytes)
  guard bytes.count >= 4 else { return nil }
  // Other numbers of digits may be 20261121 or 20261121083000.
  let mayBeNumber = [9, 10, 13, 16, 19].contains(bytes.prefix(while: \.isASCIIDigit).count)
  return mayBeNumber ? unixTime(bytes) ?? writtenDate(bytes) : writtenDate(bytes)
}

/// The moment of a number of seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by its size.
func unixTime(_ text: UnsafeBufferPointer<UInt8>) -> Instant? {
  let parts = text.split(separator: ".", maxSplits: 1).map { number(UnsafeBufferPointer(rebasing: $0)) }
  guard var value = parts.first ?? nil, value > 0, !parts.contains(nil) else { return nil }
  // As seconds this would be the year 5138, as milliseconds it is 1973.
  while value >= 100_000_000_000 { value /= 1000 }
  return Instant(secondsSince1970: value)
}
