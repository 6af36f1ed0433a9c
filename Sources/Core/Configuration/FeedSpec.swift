// One feed as configured, every default filled in.

/// One configured remote source.
public struct FeedSpec: Hashable, Sendable {
  /// Its name.
  public var name: FeedName
  /// Where it is; a secret where the address itself is one.
  public var url: SecretText
  /// What is behind that address.
  public var kind: FeedKind = .feed
  /// The title the user gave it; nil takes the feed's own.
  public var title: String?
  /// Words by which several feeds are named at once, `@word`; each once, in the order of the configuration.
  public var tags: [String] = []
  /// The user's minimum interval; nil is 1 h, and 24 h while the server gives no validators.
  public var minimumInterval: MinimumInterval?
  /// Cron expressions, any of which makes the feed due; empty if there is no schedule.
  public var schedule: [CronExpression] = []
  /// The hours outside of which the feed is never due.
  public var hours: WeeklyHours = .always
  /// Extra request headers, in the order of the configuration.
  public var headers: [HeaderSpec] = []
  /// Credentials.
  public var authentication: Authentication?
  /// What its items are told apart by.
  public var identity: IdentityRule = .guid
  /// What of the first successful fetch is announced.
  public var firstRun: FirstRun = .none
  /// The items of the first successful fetch whose assets are downloaded.
  public var firstRunDownload: FirstRun = .latest
  /// Which items count at all.
  public var filter = ItemFilter()
  /// Whether an edited item is announced.
  public var updated: UpdatedRule = .silent
  /// What of its assets is downloaded, in the form that feeds share; nil downloads nothing.
  public var sharedDownload: SharedDownload?
  /// How new items are announced; nil announces nothing.
  public var notify: NotifySpec? = NotifySpec()
  /// Whether it is fetched by what is learned of when the person looks.
  public var adaptsToHabits = false
  /// What its pushes lead to, in the form that feeds share.
  public var sharedPush = SharedPush.standard
  /// How the network is used for it, in the form that feeds share.
  public var sharedNetwork = SharedNetwork.standard

  /// How the network is used for it: the whole run's settings, under those of `defaults` and its own.
  ///
  /// `connections` is the whole run's in any case.
  public var network: NetworkSettings {
    get { sharedNetwork.settings }
    set { sharedNetwork = SharedNetwork(newValue) }
  }

  /// What its pushes lead to.
  public var push: PushSpec { sharedPush.spec }

  /// A feed with the defaults of every key but name and address.
  public init(name: FeedName, url: SecretText) {
    self.name = name
    self.url = url
  }
}

/// One configured request header.
public struct HeaderSpec: Hashable, Sendable {
  /// The field name as written.
  public var name: String
  /// Its value.
  public var value: SecretText

  /// A header with its value.
  public init(name: String, value: SecretText) {
    self.name = name
    self.value = value
  }
}

/// How a feed's server is told who asks.
public enum Authentication: Hashable, Sendable {
  /// HTTP Basic (RFC 7617).
  case basic(username: String, password: Secret)
  /// A bearer token (RFC 6750).
  case bearer(Secret)
  /// Whatever `~/.netrc` holds for the host.
  case netrc
}

/// How many of the items of a first successful fetch are announced; the others are stored as seen.
public enum FirstRun: Hashable, Sendable {
  /// None of them.
  case none
  /// The newest one.
  case latest
  /// All of them.
  case all
  /// The newest so many.
  case newest(Int)
}

/// What an edited item does besides changing what is stored.
public enum UpdatedRule: String, Hashable, Sendable, CaseIterable {
  /// Nothing.
  case silent
  /// It is announced, and makes the fetch new-data.
  case notify
}

/// Which items count: those that match `include` (all if it is empty) and nothing of `exclude`.
public struct ItemFilter: Hashable, Sendable {
  /// Regular expressions, one of which must match title, link or a category.
  public var include: [String] = []
  /// Regular expressions, none of which may match.
  public var exclude: [String] = []

  /// A filter that lets everything through.
  public init() {}
}
