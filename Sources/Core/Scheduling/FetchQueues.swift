// Two lines of due feeds: those behind the network, and files of this machine, which never wait for it.

/// The due feeds of a run in two lines, so that a file needs no connection and no slow server holds it up.
public struct FetchQueues: Sendable {
  private var network: HostQueue
  private var files: HostQueue

  /// Files that are read at one time.
  private static let filesAtOnce = 4

  /// Empty queues; the parameters are those of HostQueue.
  public init(
    network settings: NetworkSettings, hosts: [String: HostState], runStart: Instant, start: Int64,
    deadline: Int64?
  ) {
    network = HostQueue(
      network: settings, hosts: hosts, runStart: runStart, start: start, deadline: deadline)
    var limits = NetworkSettings()
    limits.connections = Self.filesAtOnce
    files = HostQueue(network: limits, hosts: [:], runStart: runStart, start: start, deadline: deadline)
  }

  /// Adds a feed at the end of its line.
  public mutating func add(_ feed: QueuedFeed, isFile: Bool) {
    if isFile { files.add(feed) } else { network.add(feed) }
  }

  /// Whether nothing waits and nothing runs.
  public var isFinished: Bool { network.isFinished && files.isFinished }

  /// Takes out the feeds that start now.
  public mutating func take(at now: Int64) -> [FeedName] { files.take(at: now) + network.take(at: now) }

  /// When `take` has something to give if nothing finishes before; nil if it needs that, or never has.
  public var nextStart: Int64? { [files.nextStart, network.nextStart].compactMap { $0 }.min() }

  /// Notes that a feed is finished, all that came of it committed.
  public mutating func finished(_ feed: FeedName, at now: Int64) {
    files.finished(feed, at: now)
    network.finished(feed, at: now)
  }

  /// Notes a request that a running feed makes to another host, as a redirect does.
  public mutating func noteRequest(to host: String, at now: Int64) { network.noteRequest(to: host, at: now) }

  /// Takes out what waits for a host, in order, as after a 429; what runs goes on.
  public mutating func cancel(host: String) -> [FeedName] { network.cancel(host: host) }

  /// Takes out all that waits, as at the end of the budget; what runs goes on.
  public mutating func cancelAll() -> [FeedName] { files.cancelAll() + network.cancelAll() }
}
