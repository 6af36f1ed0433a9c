// What stands in a list of subscriptions, and what there is to say about what cannot be taken from it.

/// One entry of a list of subscriptions.
public enum SubscriptionEntry: Hashable, Sendable {
  /// A feed, in a line of the list, counted from 1.
  case feed(Subscription, line: Int)
  /// Something else.
  case remark(SubscriptionRemark)
}

/// Something about a list of subscriptions that its owner should know.
public struct SubscriptionRemark: Hashable, Sendable {
  /// The line of the list, from 1.
  public var line: Int
  /// What there is to know.
  public var kind: Kind

  /// A remark on a line.
  public init(line: Int, _ kind: Kind) {
    self.line = line
    self.kind = kind
  }

  /// What there is to know.
  ///
  /// Texts are as the list has them, not yet fit to be printed.
  public enum Kind: Hashable, Sendable {
    /// newsboat's search over other feeds.
    case query
    /// newsboat's feed that a program makes: `exec` or `filter`.
    case program(String)
    /// An outline of type `link` or `include`, which leads to a page or to another list.
    case link
    /// An outline whose type says that its program makes the feed of a page or document that is none.
    case madeOfPage(String)
    /// An outline that is commented out, or lies in one that is.
    case commentedOut
    /// An outline that is a feed by its type or page, and does not say where.
    case noAddress
    /// An address that no feed can have.
    case unusableAddress(String)
    /// An address with a user name or a password in it.
    case credentials(String)
    /// An address of a file of this machine, and whether it is taken all the same.
    case file(String, isTaken: Bool)
    /// An address on a private network, which is taken.
    case privateAddress(String)
    /// An address that an earlier feed has.
    case duplicate(String, of: FeedName)
    /// So many outlines lie deeper than anything is read.
    case tooDeep(Int)
    /// So many entries come after the last one that is read.
    case tooMany(Int)
    /// newsboat's mark for feeds that its list does not show.
    case hidden
    /// A folder or tag that cannot be written in the letters of a tag.
    case unwritableTag(String)
    /// The document ends in the middle.
    case cutOff

    /// How many feeds are left out because of it.
    public var leftOut: Int {
      switch self {
      case .query, .program, .link, .madeOfPage, .commentedOut, .noAddress, .unusableAddress, .credentials,
        .duplicate, .file(_, isTaken: false):
        1
      case .tooDeep(let count), .tooMany(let count): count
      case .hidden, .unwritableTag, .cutOff, .privateAddress, .file(_, isTaken: true): 0
      }
    }
  }
}

/// Why bytes are no list of subscriptions.
public enum SubscriptionListFailure: Error, Hashable, Sendable {
  /// Nothing but white space.
  case empty
  /// A feed, which is subscribed to by its address.
  case feed
  /// Something else, in words, for example `a PNG image`.
  case other(String)
}
