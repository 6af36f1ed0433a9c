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
    _ spec: BucketSpec, _ settings: Settings, userAgent: String, mark: String, loop: TransferLoop,
    keys: @escaping @Sendable () async -> Result<BucketKeys, DocumentsProblem>
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

  public func prepare(wasUsed: Bool) async -> Result<Void, DocumentsProblem> {
    // Nothing is lost with a spool: it is made again.
    let prepared = await spool.prepare(wasUsed: false)
    guard case .success = prepared, let problem = await bucket.check() else { return prepared }
    return .failure(problem)
  }

  public func openPartial(_ transfer: Int64, keeping kept: Int64) async -> Result<
    PartialFile, DocumentsProblem
  > {
    await spool.openPartial(transfer, keeping: kept)
  }

  public func place(_ placement: Placement) async -> Result<PlaceOutcome, DocumentsProblem> {
    let outcome = await result { () throws(DocumentsProblem) in
      let body = try await spool.openComplete(placement).get()
      return try await bucket.place(placement, body)
    }
    if case .success(.placed) = outcome { await discard(placement.transfer) }
    return outcome
  }

  public func isPlaced(_ placement: Placement) async -> Result<Bool, DocumentsProblem> {
    await result { () throws(DocumentsProblem) in
      try await bucket.object(placement.intent.name)?.is(placement) ?? false
    }
  }

  /// An upload that was cut leaves nothing.
  public func clear(_ transfer: Int64, _ intent: PlacementIntent) async {}

  /// No name counts as taken: the upload itself finds out, and recognises an object of its own transfer.
  public func isTaken(_ name: String) async -> Result<Bool, DocumentsProblem> { .success(false) }

  public func discard(_ transfer: Int64) async { await spool.discard(transfer) }

  public func discardOthers(keeping transfers: Set<Int64>) async {
    await spool.discardOthers(keeping: transfers)
  }

  public func remove(_ file: PlacedFile, ofAnySize: Bool) async -> Result<Bool, DocumentsProblem> {
    await result { () throws(DocumentsProblem) in
      try await bucket.remove(file.name, ofSize: ofAnySize ? nil : file.size)
    }
  }

  public func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool {
    let found = await result { () throws(DocumentsProblem) in try await bucket.object(file.name) }
    guard case .success(let object) = found else { return true }
    return object?.transfer != nil && (ofAnySize || object?.size == file.size)
  }

  public func sizes() async -> Result<[String: Int64], DocumentsProblem> {
    await result { () throws(DocumentsProblem) in try await bucket.sizes() }
  }

  public func space() async -> Result<ByteCount, DocumentsProblem> { await spool.space() }
}

/// The keys to sign requests to a bucket with.
public typealias BucketKeys = (access: String, secret: String)
