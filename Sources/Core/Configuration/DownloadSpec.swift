// Downloads and pushes of a feed, and the bucket that files go to; see bgfetch.yaml(5).

/// The downloads of a feed.
public struct DownloadSpec: Equatable, Sendable {
  /// Globs of lower-case media types, one of which must match; empty allows all enclosures.
  public var types: [String] = []
  /// The filter of files.
  public var filter = ItemFilter()
  /// The template of file names; nil means the default of the feed's kind.
  public var name: Template?
  /// The maximum number of transfers that one run starts; nil means unlimited.
  public var limit: Int?
  /// The maximum size of a file; nil means unlimited.
  public var maxSize: ByteCount?
  /// The conditions under which its files are downloaded; nil for none.
  public var conditions: Conditions?
  /// The retention of placed files.
  public var keep = KeepRule()

  public init() {}
}

/// The retention of a feed's placed files.
///
/// The first bound reached counts, and the newest file always stays.
public struct KeepRule: Equatable, Sendable {
  /// The maximum number of files.
  public var count: Int?
  /// The maximum age of the items.
  public var age: Interval?
  /// The maximum total size.
  public var size: ByteCount?

  public init() {}

  public var keepsAll: Bool { self == KeepRule() }
}

/// The effect of a feed's pushes.
public struct PushSpec: Equatable, Sendable {
  /// The template of a file's address, filled from the payload; nil means that a push fetches the feed.
  public var url: Template?
  /// The template of the file's description; nil means the name in its address.
  public var description: Template?
  public var limit = PushLimit()

  public init() {}
}

/// The maximum number of fetches that pushes may cause within an interval.
public struct PushLimit: Equatable, Sendable {
  public var count: Int
  public var interval: Interval

  /// The default is twice the two or three pushes an hour that Apple advises ("Pushing background updates to your App"),
  /// because each may be tried twice.
  public init(count: Int = 6, interval: Interval = .hours(1)) {
    (self.count, self.interval) = (count, interval)
  }
}

/// A part of an S3 bucket that keeps downloaded files.
public struct BucketSpec: Equatable, Sendable {
  /// The address below which the objects are, percent-encoded and without a slash at its end; its path begins with the
  /// bucket.
  ///
  /// It takes the place of a documents directory wherever one is stored.
  public var address: String
  public var region: String
  public var accessKey: SecretText
  public var secretKey: Secret?

  public init(
    address: String, region: String = "us-east-1", accessKey: SecretText = .plain(""),
    secretKey: Secret? = nil
  ) {
    (self.address, self.region, self.accessKey, self.secretKey) = (address, region, accessKey, secretKey)
  }

  /// The address of the bucket, and the beginning of the keys of its objects: empty, or with a slash at its end.
  public var parts: (bucket: String, prefix: String) {
    let slashes = address.utf8.indices.filter { address.utf8[$0] == "/" }
    // The first three slashes are those of https://host/.
    guard let end = slashes.dropFirst(3).first else { return (address, "") }
    let prefix = String(address[address.utf8.index(after: end)...])
    return (String(address[..<end]), percentDecoded(prefix) + "/")
  }

  /// Whether a directory of the store is a part of a bucket.
  public static func isBucket(_ directory: String) -> Bool { !directory.hasPrefix("/") }
}

/// The path of a document in its directory, or the address of the object that it is.
public func documentPath(_ directory: String, _ name: String) -> String {
  directory + "/" + (BucketSpec.isBucket(directory) ? objectPath(name) : name)
}

/// A name, key or path as part of a signed address: only what AWS leaves is not percent-encoded ("Create a canonical request").
public func objectPath(_ name: String) -> String { percentEncoded(name) { $0.isUnreserved || $0 == "/" } }

/// A query as AWS signs it: sorted by names, each with a value, even an empty one.
///
/// libcurl 7.88 signs a query as it is written.
public func signedQuery(_ members: [String: String]) -> String {
  members.map { (percentEncoded($0, keeping: \.isUnreserved), percentEncoded($1, keeping: \.isUnreserved)) }
    .sorted { $0.0 < $1.0 }.map { $0 + "=" + $1 }.joined(separator: "&")
}

extension FeedSpec {
  /// The settings for files named by the feed's document or by a push; nil if neither may name files.
  ///
  /// A feed with only `push.url` downloads the files of its pushes as `download: {}` would, and no files of its items.
  public var transferDownload: DownloadSpec? {
    download ?? (push.url == nil ? nil : DownloadSpec())
  }
}
