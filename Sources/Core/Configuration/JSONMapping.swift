// Where in a JSON document the items of a feed are, and where in an item its parts.

/// Where in a JSON document the items of a feed are, and where in each item its parts.
///
/// Every place is a list of pointers, the best one first: the first that leads to something usable counts. What no
/// pointer leads to is no part of the item, so that a change of it is no edit.
public struct JSONMapping: Hashable, Sendable {
  /// Where the items are, from the root of the document.
  ///
  /// An array there holds items, an object there is one.
  public var items: [JSONPointer]
  /// Where the parts of an item are, from the item on; a part without pointers is never there.
  public var parts: [Part: [JSONPointer]]

  /// What an item consists of, by the names of the configuration's keys.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// Its identity.
    case id
    /// Its title.
    case title
    /// Its page.
    case link
    /// When it was published.
    case published
    /// When it last changed.
    case updated
    /// What it says, as text or HTML.
    case summary
    /// Whoever wrote it.
    case author
    /// The files it refers to.
    case assets

    /// The parts of which an item has at least one: by these it is told from others.
    public static let telling: [Part] = [.id, .title, .link, .summary]
  }

  /// A mapping.
  public init(items: [JSONPointer], parts: [Part: [JSONPointer]]) {
    self.items = items
    self.parts = parts
  }
}
