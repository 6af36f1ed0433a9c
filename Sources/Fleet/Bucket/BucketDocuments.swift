// Documents in an S3 bucket: partial files in a directory of this machine, complete ones as objects.

public import Core
public import Machine

/// Documents in an S3 bucket.
///
/// A partial file is in the spool directory, so another machine that takes the transfer over begins again.
public struct BucketDocuments: Documents {
  /// The most requests to the bucket at once.
  public static let connections = 8

  private let bucket: Bucket
  private let spool: DocumentsDirectory

  public var isRemote: Bool { true }

  /// - Parameter userAgent: the one of the program, if none is configured.
  public init(
    _ spec: BucketSpec, _ settings: Settings, userAgent: String, mark: String, loop: CurlLoop,
    keys: @escaping @Sendable () async throws(DocumentsProblem) -> BucketKeys
  ) {
    var network = settings.network
    network.connectionsPerHost = Self.connections
    // The proxy for feeds may lead out of the network that the bucket is in.
    network.proxy = .environment
    bucket = Bucket(
      spec, network: network, userAgent: network.userAgent ?? userAgent, mark: mark, loop: loop,
      keys: keys, clock: TaskClock())
    spool = DocumentsDirectory(settings.spoolOfBuckets, mark: mark)
  }

  public func prepare(wasUsed: Bool) async throws(DocumentsProblem) {
    // Nothing is lost with a spool: it is made again.
    try await spool.prepare(wasUsed: false)
    if let problem = await bucket.check() { throw problem }
  }

  public func openPartial(
    _ transfer: Int64, keeping kept: Int64
  ) async throws(DocumentsProblem) -> PartialFile {
    try await spool.openPartial(transfer, keeping: kept)
  }

  public func place(_ placement: Placement) async throws(DocumentsProblem) -> PlaceOutcome {
    let outcome = try await bucket.place(placement, try await spool.openComplete(placement))
    if outcome == .placed { await discard(placement.transfer) }
    return outcome
  }

  public func isPlaced(_ placement: Placement) async throws(DocumentsProblem) -> Bool {
    try await bucket.object(placement.intent.name)?.is(placement) ?? false
  }

  /// An upload that was cut leaves nothing.
  public func clear(_ transfer: Int64, _ intent: PlacementIntent) async {}

  /// No name counts as taken: the upload itself finds out, and recognises an object of its own transfer.
  public func isTaken(_ name: String) async throws(DocumentsProblem) -> Bool { false }

  public func discard(_ transfer: Int64) async { await spool.discard(transfer) }

  public func discardOthers(keeping transfers: Set<Int64>) async {
    await spool.discardOthers(keeping: transfers)
  }

  public func remove(_ file: PlacedFile, ofAnySize: Bool) async throws(DocumentsProblem) -> Bool {
    try await bucket.remove(file.name, ofSize: ofAnySize ? nil : file.size)
  }

  public func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool {
    do throws(DocumentsProblem) {
      let object = try await bucket.object(file.name)
      return object?.transfer != nil && (ofAnySize || object?.size == file.size)
    } catch {
      return true
    }
  }

  public func sizes() async throws(DocumentsProblem) -> [String: Int64] { try await bucket.sizes() }

  public func space() async throws(DocumentsProblem) -> ByteCount { try await spool.space() }
}

/// The keys to sign requests to a bucket with.
public typealias BucketKeys = (access: String, secret: String)
