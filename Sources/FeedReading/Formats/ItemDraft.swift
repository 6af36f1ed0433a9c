// What is known of an item while it is read: several elements may say the same thing, and the best one counts.

import Core

/// An item under construction.
struct ItemDraft {
  var id: String?
  /// The title by how much it is the title: the item's own, Dublin Core's, Media RSS's.
  var title = Ranked<String>()
  var link = Ranked<String>()
  var published = Ranked<Instant>()
  var updated: Instant?
  var summary = Ranked<String>()
  var content = Ranked<String>()
  var authors: [String] = []
  var authorRank = 0
  private var categories = Distinct<String>()
  private var enclosures = Distinct<Enclosure>()
  private var images = Distinct<Enclosure>()
  /// How many files there are, but for images.
  var enclosureCount: Int { enclosures.values.count }

  /// A value that gives way to one of a higher rank.
  struct Ranked<Value> {
    private(set) var value: Value?
    private var rank = 0

    /// Takes a value if there is none of this rank or a higher one yet.
    mutating func take(_ new: Value?, rank newRank: Int) {
      guard let new, newRank > rank else { return }
      value = new
      rank = newRank
    }

    /// Whether a value of this rank would be taken.
    func wants(_ newRank: Int) -> Bool { newRank > rank }
  }

  /// Files of an item beyond this number are left out, and so are categories.
  static let maximumCount = 200

  /// Adds a file, or what is not yet known of a file that is there.
  mutating func add(_ enclosure: Enclosure) { enclosures.add(enclosure) }

  /// Adds an image that is not there yet.
  mutating func add(image url: String?) {
    if let url { images.add(Enclosure(url: url)) }
  }

  /// Takes all files away but the images.
  mutating func removeEnclosures() { enclosures = Distinct<Enclosure>() }

  /// Adds a category that is not there yet.
  mutating func add(category: String?) {
    guard let category, categories.values.count < Self.maximumCount else { return }
    if categories.place(of: category) == nil { categories.append(category) }
  }

  /// Whether somebody named by an element of a rank can be added.
  func wantsAuthor(_ rank: Int) -> Bool { rank > authorRank || rank == authorRank && authors.count < 20 }

  /// Adds somebody to those who wrote it; who is named by an element of a higher rank replaces the others.
  mutating func add(author: String?, rank: Int) {
    guard let author, rank >= authorRank, authors.count < 20,
      rank > authorRank || !authors.contains(where: { isSame($0, author) })
    else { return }
    if rank > authorRank { authors = [] }
    authorRank = rank
    authors.append(author)
  }

  /// The item, which may say nothing.
  var item: ParsedItem {
    var item = ParsedItem()
    item.id = id
    item.title = title.value
    item.link = link.value
    item.published = published.value
    item.updated = updated
    item.content = content.value
    item.summary = summary.value
    item.author = authors.isEmpty ? nil : authors.joined(separator: ", ")
    item.categories = categories.values
    item.enclosures = enclosures.values
    item.images = images.values
    return item
  }
}

/// Values in their order, no two with the same text.
///
/// From a number on they are looked for by fingerprints: to hold each against all others takes long where they begin alike.
struct Distinct<Value: Named> {
  private(set) var values: [Value] = []
  private var prints: [UInt64] = []

  private static var few: Int { 8 }

  /// The place of the value with a text; nil if there is none.
  mutating func place(of name: String) -> Int? {
    guard values.count > Self.few else { return values.firstIndex { isSame($0.name, name) } }
    for value in values[prints.count...] { prints.append(Self.print(of: value.name)) }
    let print = Self.print(of: name)
    return prints.firstIndex(of: print).flatMap { isSame(values[$0].name, name) ? $0 : nil }
  }

  /// Adds a value.
  mutating func append(_ value: Value) { values.append(value) }

  private static func print(of name: String) -> UInt64 {
    var print = Fingerprint()
    print.add(name)
    return print.value
  }
}

extension Distinct<Enclosure> {
  /// Adds a file, or what is not yet known of a file that is there.
  mutating func add(_ file: Enclosure) {
    if let index = place(of: file.url) {
      values[index].type = values[index].type ?? file.type
      values[index].length = values[index].length ?? file.length
    } else if values.count < ItemDraft.maximumCount {
      append(file)
    }
  }
}

/// What is known by a text.
protocol Named {
  var name: String { get }
}

extension String: Named {
  var name: String { self }
}

extension Enclosure: Named {
  var name: String { url }
}

extension ParsedFeed {
  /// Whether further items are left out.
  var isFull: Bool { items.count >= Self.maximumItems }

  /// Adds an item, if there is one and the document has not too many.
  mutating func take(_ item: ParsedItem?) {
    guard let item else { return }
    if isFull { leftOut += 1 } else { items.append(item) }
  }
}
