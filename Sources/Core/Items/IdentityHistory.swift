// What a feed's documents have shown about the identities of its items.

/// What a feed's documents have shown about the identities of its items.
public struct IdentityHistory: Hashable, Sendable {
  /// Whether the server renews guids while links stay, so that links decide.
  public var ignoresGuids = false
  /// Documents in a row that spoke against `ignoresGuids` as it stands; the third turns it round.
  public var contraryDocuments = 0
  /// The identity in force that the last document held more than once, so that further ones had to tell its items apart.
  public var repeated: IdentityRule?
  /// How many items the last document had that had any, those that were not read included; nil before the first.
  public var documentItems: Int?
  /// When a document last replaced most items of the one before.
  public var replacedAt: Instant?
  /// Whether that document had mostly known items under other identities: the site was rebuilt, which says nothing
  /// about how the feed moves on.
  public var isRebuilt = false
  /// How many items of that document were taken for old ones and stored as seen.
  public var quietItems = 0

  /// The history of a feed that was never fetched.
  public init() {}

  /// How many items the last document had, if they were more than are read; else nil.
  public var itemsOfCutDocument: Int? { documentItems.flatMap { $0 > ParsedFeed.maximumItems ? $0 : nil } }

  /// What decides about a feed configured with this rule.
  public func rule(_ configured: IdentityRule) -> IdentityRule {
    configured == .guid && ignoresGuids ? .link : configured
  }
}
