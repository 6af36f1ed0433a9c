// The rules that can hold a feed back, and what each of them gives way to.

/// A rule about when a feed may be asked.
public enum DueRule: Hashable, Sendable, CaseIterable {
  /// The least time since the last fetch that did not fail.
  case minimumInterval
  /// The cron expressions of the user.
  case schedule
  /// When the person is likely to look, where the feed adapts to that.
  case habits
  /// What the last answer asked for: freshness, `ttl`, `sy:updatePeriod`.
  case serverWish
  /// `skipHours` and `skipDays` of the last document.
  case skipTimes
  /// A 429 or 503 on the feed.
  case rateLimit
  /// A 429 on the feed's host.
  case hostLimit
  /// The wait after failures.
  case backoff
  /// The wait after 410.
  case gone
  /// The hours of the user, outside of which a feed is never due.
  case hours
  /// What the person paused.
  case pause
  /// How many fetches pushes may cause.
  case pushLimit
  /// How long a push whose data was late waits.
  case secondTry

  /// Whether the server set it, so that a run may wait for its end but never undercuts it.
  var isServers: Bool {
    switch self {
    case .serverWish, .skipTimes, .rateLimit, .hostLimit: true
    case .minimumInterval, .schedule, .habits, .backoff, .gone, .hours, .pause, .pushLimit, .secondTry: false
    }
  }

  /// Whether the rule counts however much the person insists.
  ///
  /// Naming a feed overrides all but rate limits and 410, naming it with `--force` those too. `--force` without names
  /// names all feeds but those that the person has paused: a pause is about each of them by name. A push overrides what
  /// naming does, but neither pause nor hours, and is the only one that its own limit is about.
  func holds(against insistence: Insistence) -> Bool {
    switch (self, insistence) {
    case (.pushLimit, .pushed), (.secondTry, .pushed): true
    case (.pushLimit, _), (.secondTry, _): false
    case (_, .none), (_, .others): true
    case (.rateLimit, .named), (.hostLimit, .named), (.gone, .named): true
    case (.rateLimit, .allForced), (.hostLimit, .allForced), (.gone, .allForced), (.pause, .allForced): true
    case (.rateLimit, .pushed), (.hostLimit, .pushed), (.gone, .pushed): true
    case (.hours, .pushed), (.pause, .pushed): true
    case (_, .pushed), (_, .named), (_, .allForced), (_, .forced): false
    }
  }
}

/// What one rule says of one feed.
public struct RuleFinding: Hashable, Sendable {
  /// The rule and what it rests on.
  public enum Basis: Hashable, Sendable {
    /// A minimum interval, where it comes from, and how much earlier a run may come.
    case minimumInterval(MinimumInterval, IntervalSource, slack: Interval)
    /// The expression that fires next, and how many there are.
    case schedule(CronExpression, of: Int)
    /// A wish of the server, and today's freshness limit where that cuts it.
    case serverWish(ServerWish, cutTo: Interval?)
    /// Hours and days, in UTC, on which the document asks for quiet.
    case skipTimes(hours: Set<Int>, days: Set<Int>)
    /// A limit on the feed.
    case rateLimit(RateLimit)
    /// A limit on the host, and the feed whose answer set it.
    case hostLimit(host: String, by: FeedName?)
    /// Failures in a row, how many of them in a row are of the last one's kind, the wait after that, and what jitter
    /// adds to it.
    case backoff(failures: Int, ofKind: Int, wait: Interval, jitter: Interval)
    /// When the server first said so, whether it was confirmed, the wait, and what jitter adds to it.
    case gone(since: Instant?, isConfirmed: Bool, wait: Interval, jitter: Interval)
    /// Hours of the week.
    case hours(WeeklyHours)
    /// What the person paused.
    case pause(Pause)
    /// How many pushes wait, and how many fetches pushes may cause.
    case pushLimit(waiting: Int, PushLimit)
    /// How many pushes wait whose data was late.
    case secondTry(waiting: Int)
    /// What is predicted of when the person looks, and when the feed would be due without that.
    case habits(HabitForecast, without: Instant?)
  }

  /// What the rule rests on.
  public var basis: Basis
  /// The earliest moment it allows; nil if it allows any.
  public var allowsFrom: Instant?
  /// Whether it is the one that decides when the feed is due.
  public var binds = false
  /// Whether the person's insistence overrides it.
  public var isOverridden = false

  /// The rule.
  public var rule: DueRule {
    switch basis {
    case .minimumInterval: .minimumInterval
    case .schedule: .schedule
    case .serverWish: .serverWish
    case .skipTimes: .skipTimes
    case .rateLimit: .rateLimit
    case .hostLimit: .hostLimit
    case .backoff: .backoff
    case .gone: .gone
    case .hours: .hours
    case .pause: .pause
    case .pushLimit: .pushLimit
    case .secondTry: .secondTry
    case .habits: .habits
    }
  }
}
