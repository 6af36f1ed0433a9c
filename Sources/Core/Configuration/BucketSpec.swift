// An S3 bucket in place of a documents directory, and the addresses of its objects.

/// A part of an S3 bucket that keeps downloaded files.
public struct BucketSpec: Hashable, Sendable {
  /// The address below which the objects are, percent-encoded and without a slash at its end.
  ///
  /// It takes the place of a documents directory wherever one is stored.
  public var address: String
  public var region: String
  public var accessKey: SecretText
  public var secretKey: Secret?
  /// Whether the bucket is the first part of the path, and not a part of the host's name.
  public var hasPathStyle = false

  public init(
    address: String, region: String = "us-east-1", accessKey: SecretText = .plain(""),
    secretKey: Secret? = nil
  ) {
    self.address = address
    self.region = region
    self.accessKey = accessKey
    self.secretKey = secretKey
  }

  /// The address of the bucket, and the beginning of the keys of its objects: empty, or with a slash at its end.
  public var parts: (bucket: String, prefix: String) {
    let slashes = address.utf8.indices.filter { address.utf8[$0] == UInt8(ascii: "/") }
    // The first two slashes are those of https://.
    guard let end = slashes.dropFirst(hasPathStyle ? 3 : 2).first else { return (address, "") }
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
