// What is known of an item while it is read: several elements may say the same thing, and the best one counts.

import Model
import Timing

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
  var categories: [String] = []
  var enclosures: [Enclosure] = []
  var images: [Enclosure] = []

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
  mutating func add(_ enclosure: Enclosure) { Self.add(enclosure, to: &enclosures) }

  /// Adds an image that is not there yet.
  mutating func add(image url: String?) {
    if let url { Self.add(Enclosure(url: url), to: &images) }
  }

  private static func add(_ file: Enclosure, to files: inout [Enclosure]) {
    if let index = files.firstIndex(where: { $0.url == file.url }) {
      files[index].type = files[index].type ?? file.type
      files[index].length = files[index].length ?? file.length
    } else if files.count < maximumCount {
      files.append(file)
    }
  }

  /// Adds a category that is not there yet.
  mutating func add(category: String?) {
    guard let category, categories.count < Self.maximumCount, !categories.contains(category) else { return }
    categories.append(category)
  }

  /// Adds somebody to those who wrote it; who is named by an element of a higher rank replaces the others.
  mutating func add(author: String?, rank: Int) {
    guard let author, rank >= authorRank, authors.count < 20, rank > authorRank || !authors.contains(author)
    else {
      return
    }
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
    item.categories = categories
    item.enclosures = enclosures
    item.images = images
    return item
  }
}

extension ParsedFeed {
  /// Adds an item, if there is one and the document has not too many.
  mutating func take(_ item: ParsedItem?) {
    guard let item else { return }
    if items.count < Self.maximumItems { items.append(item) } else { leftOut += 1 }
  }
}
