// The checked configuration as values, with all defaults. This file: global settings, network settings, problems, outputs.
//
// Doors of this folder: Settings (everything), FeedSpec (one feed), NotifySpec and HookSpec, DownloadSpec and PushSpec,
// JSONMapping (kind json), FeedFingerprint (by which an edit is noticed). The module Config reads the YAML and reports problems.

/// The whole configuration, checked and with all defaults.
public struct Settings: Equatable, Sendable {
  /// The absolute path of the configuration file.
  public var path: String
  /// The documents directory, or the address of the bucket's part.
  public var documents: String
  /// The bucket that `documents` is a part of; nil if it is a directory.
  public var bucket: BucketSpec?
  /// The directory that partial files are in, which they fill: `documents`, or one of this machine for a bucket.
  public var spool: String { bucket == nil ? documents : spoolOfBuckets }
  public var spoolOfBuckets: String { state + "/spool" }
  public var state: String
  /// The badge file; nil if none is kept, because several machines share the state and no file is configured.
  public var badge: String?
  /// The database that keeps the state instead of a file in `state`; nil for none.
  public var server: StateServer?
  /// The sections that must be the same on all machines that share the state; none if only one machine has it.
  public var sharedSections = SharedSections([:])
  /// The name of the zone for schedules and hours; nil means the system's.
  public var timezone: String?
  /// The free space of a file system below which no transfer to it continues.
  public var freeSpace = ByteCount(512 << 20)
  /// The age at which fetches, requests and runs are deleted.
  public var history = Retention.history
  /// The age at which events are deleted that every hook has had.
  public var events = Retention.history
  /// The time limit of a run for fetching feeds; nil for none.
  public var budget: Interval? = .minutes(3)
  /// The defaults for feeds; `FeedSpec.network` has the settings of one feed.
  public var network = NetworkSettings()
  public var feeds: FeedList = []
  public var feedNames: FeedNames { feeds.names }
  /// The settings that feeds have, each with its owner: a feed of a file, a tag of the catalog, or `defaults` if there is a catalog.
  public var feedSettings: [(owner: String, spec: FeedSpec)] {
    feeds.ofFiles.map { ("feed \($0.name)", $0) }
      + catalog.byTag.sorted { $0.key < $1.key }.map { ("catalog.\($0.key)", $0.value) }
      + (feeds.haveCatalog ? catalog.standard.map { [("defaults", $0)] } ?? [] : [])
  }
  /// The settings of the feeds of the catalog.
  public var catalog = CatalogSettings()
  public var hooks: [HookSpec] = []
  /// The files that are made of items.
  public var outputs: [OutputSpec] = []

  public init(path: String, documents: String, state: String, badge: String?) {
    (self.path, self.documents, self.state, self.badge) = (path, documents, state, badge)
  }
}

/// Limits of requests, and how politely they are sent.
public struct NetworkSettings: Hashable, Sendable {
  /// The maximum number of requests at one time.
  public var connections = 32
  /// The maximum number of connections to one host; no key, as servers block readers that open several.
  public var connectionsPerHost = 1
  /// The time between two feed requests to one public host, also across runs.
  public var delayPerHost: Interval = .seconds(1)
  /// The time limit of connecting; no key, as a TCP connection that takes longer is lost.
  public var connectTimeout: Interval = .seconds(10)
  /// The time limit of one fetch, from start to end.
  public var timeout: Interval = .seconds(60)
  /// The speed below which a body is given up; no key, as a slower body never ends in the time of a run.
  public var stall = StallLimit()
  /// The maximum bytes per second of all transfers together; nil means unlimited.
  public var rateLimit: ByteCount?
  /// The maximum size of a feed after decompression; no key, as a larger document is no feed.
  public var maxFeedSize = ByteCount(32 << 20)
  /// The private addresses that redirects and links of items may lead to.
  public var privateAddresses: PrivateAddressRule = .sameAsFeed
  public var proxy: ProxyRule = .environment
  /// The `User-Agent` field; nil means the program's own.
  public var userAgent: String?
  /// The absolute path of a file of trusted certificates; nil means the system's.
  public var caFile: String?

  public init() {}
}

/// The speed and time after which a slow body is given up.
public struct StallLimit: Hashable, Sendable {
  /// Bytes per second below which a body is stalled.
  public var below = ByteCount(1024)
  /// The time that a body may be stalled.
  public var `for`: Interval = .seconds(30)

  public init() {}
}

/// The private, loopback and link-local addresses that redirects and links of items may lead to.
public enum PrivateAddressRule: Hashable, Sendable {
  /// Only the feed's own private address.
  case sameAsFeed
  case allow
  case refuse
  case networks([AddressBlock])
}

public enum ProxyRule: Hashable, Sendable {
  /// The environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
  case environment
  case none
  /// A proxy in the form of libcurl's CURLOPT_PROXY.
  case url(String)
}

/// An error or a warning in the configuration: `FILE:LINE:COLUMN: what is wrong; what to do`.
public struct ConfigurationProblem: Error, Equatable, Sendable {
  public var file: String
  public var line: Int
  public var column: Int
  public var what: String
  public var cure: String?
  /// Whether the configuration can be used anyway.
  public var isWarning: Bool

  public init(file: String, line: Int, column: Int, what: String, cure: String?, isWarning: Bool = false) {
    (self.file, self.line, self.column, self.what, self.cure) = (file, line, column, what, cure)
    self.isWarning = isWarning
  }

  /// One line; the name of the file may be anything that a directory can hold.
  public var text: String {
    "\(shownFileName(file)):\(line):\(column): " + (isWarning ? "warning: " : "") + what
      + (cure.map { "; " + $0 } ?? "")
  }
}

/// One file of `outputs`.
public struct OutputSpec: Equatable, Sendable {
  /// The absolute path.
  public var path: String
  public var format: OutputFormat
  /// The feeds by name, glob or @tag.
  public var feeds = ["*"]
  /// Whether only unseen items count.
  public var unseenOnly = false
  /// Whether only starred items count.
  public var starredOnly = false
  /// The most items; the newest ones count.
  public var limit = 500
  /// The title; nil means the default one.
  public var title: String?

  public init(path: String, format: OutputFormat) {
    (self.path, self.format) = (path, format)
  }
}

/// The format of a file of items.
public enum OutputFormat: String, Sendable, CaseIterable {
  case html
  /// Atom (RFC 4287).
  case atom
  /// JSON Feed 1.1.
  case jsonFeed = "json-feed"

  /// The words of all formats, as help and messages list them.
  public static let words = list(allCases.map(\.rawValue), "or")

  /// The format that the extension of a file name suggests.
  public init?(ofPath path: String) {
    switch path.split(separator: ".").last?.lowercased() {
    case "html", "htm", "xhtml": self = .html
    case "atom", "xml": self = .atom
    case "json": self = .jsonFeed
    default: return nil
    }
  }
}

/// The paths of a configuration below /etc/bgfetch: state and documents are below /var/lib/bgfetch, not a home directory.
///
/// System services and every command then find the same state, for every user and in every environment.
public enum SystemPlaces {
  public static let configuration = "/etc/bgfetch/bgfetch.yaml"
  /// `StateDirectory=` of the system's units.
  public static let state = "/var/lib/bgfetch"

  /// Whether a configuration, by its absolute path, is for the whole machine.
  public static func contains(configuration path: String) -> Bool {
    path.hasPrefix("/etc/bgfetch/")
  }
}

/// A PostgreSQL database that keeps the state of several machines.
public struct StateServer: Equatable, Sendable {
  /// A connection string or URI (libpq, "Connection Strings").
  public var connection: String
  public var password: Secret?

  public init(connection: String, password: Secret? = nil) {
    (self.connection, self.password) = (connection, password)
  }
}

/// The fingerprints of the sections of a configuration that decide what is fetched and told, by key.
///
/// Comments, the order of keys, and what may differ between machines do not count.
public struct SharedSections: Equatable, Sendable {
  public var fingerprints: [String: UInt64]

  public init(_ fingerprints: [String: UInt64]) { self.fingerprints = fingerprints }

  /// The sections in which another configuration differs, in the order of the alphabet.
  public func differences(from other: SharedSections) -> [String] {
    Set(fingerprints.keys).union(other.fingerprints.keys).sorted()
      .filter { fingerprints[$0] != other.fingerprints[$0] }
  }
}
