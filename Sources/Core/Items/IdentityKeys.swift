// What items are told apart by, as numbers of a fixed size, whatever feeds put into their identities.

/// The fingerprints of everything that may identify an item; all of them are kept, whichever decides.
public struct IdentityKeys: Hashable, Sendable {
  /// Of the guid; nil if it has none.
  public var guid: UInt64?
  /// Of the link in the form in which links are compared; nil if it has none.
  public var link: UInt64?
  /// Of the title; nil if it has none.
  public var title: UInt64?
  /// Of title and content.
  public var content: UInt64

  /// The keys of an item.
  public init(guid: UInt64? = nil, link: UInt64? = nil, title: UInt64? = nil, content: UInt64) {
    self.guid = guid
    self.link = link
    self.title = title
    self.content = content
  }
}
