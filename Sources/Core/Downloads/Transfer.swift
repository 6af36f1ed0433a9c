// A transfer: one download of one asset, as it is remembered between processes, its partial file, and how it fails.

/// One download of one asset: queued by a fetch, run by this process or a later one.
public struct Transfer: Equatable, Sendable {
  /// The store's number for it; ascending in the order in which transfers were queued, never used twice.
  public var number: Int64
  public var feed: FeedName
  /// The store's number for the session that the transfer belongs to.
  public var session: Int64
  public var asset: Asset
  /// The item that refers to the asset; nil for the body of a feed of kind `asset` until it is placed.
  public var item: TransferItem?
  /// Whether a push named the asset, so that the user wrote its host; false once a document names it.
  public var isPushed = false
  /// The private addresses, or this machine's own, that the feed was connected to when its document named the asset, and at its
  /// last fetch; none if the document came from a public address, or no document named the asset.
  ///
  /// A home network changes the addresses of its machines now and then.
  public var innerAddresses: [NetworkAddress] = []
  /// A name for people: the item's title, else the name in the URL.
  public var description: String
  public var queued: Instant
  public var status: TransferStatus = .queued
  /// Whether the person suspended the transfer; it waits for `transfers resume`.
  public var isSuspendedByUser = false
  /// Why the transfer waits, or how it ended, in words.
  public var reason: String?
  /// The moment before which the transfer must not start.
  public var notBefore: Instant?
  /// Until when a process works on it unless it gives a sign of life, where machines share the store; nil if none does.
  public var heldUntil: Instant?
  /// Attempts in a row that failed without a byte of progress.
  public var failures = 0
  /// The beginning of the first failed attempt since the last success or `retry`.
  public var failingSince: Instant?
  /// Attempts in a row that the budget cut although they cannot be resumed.
  public var cuts = 0
  /// Processes in a row that died during the transfer.
  public var crashes = 0
  /// The bytes received so far.
  public var partial = PartialDownload()
  /// The documents directory of the partial file; nil before the first attempt.
  public var directory: String?
  /// The final name, while the file is being placed.
  public var intent: PlacementIntent?
  /// The placed file of a finished transfer.
  public var file: PlacedFile?

  public init(
    number: Int64, feed: FeedName, session: Int64, asset: Asset, item: TransferItem?, description: String,
    queued: Instant
  ) {
    (self.number, self.feed, self.session, self.asset, self.item) = (number, feed, session, asset, item)
    (self.description, self.queued) = (description, queued)
  }

  /// Whether the asset is the body of a feed of kind `asset`; then the transfer is the feed's fetch.
  public var isFeedBody: Bool { asset.isFeedBody }

  /// Whether a process of any machine works on it, whatever its status, where machines share the store.
  public var isHeld: Bool { heldUntil != nil }
}

/// A file that an item refers to, or the body of a feed of kind `asset`.
public struct Asset: Equatable, Sendable {
  /// The body of a feed of kind `asset`.
  public static let feedBody = Asset(url: "")

  /// The address; empty for the body of a feed, which has the feed's address.
  public var url: String
  /// The media type in the document.
  public var type: String?
  /// The length in bytes in the document, which is often wrong.
  public var length: Int64?
  /// The position among the item's assets that `select` takes, counted from 1; 0 if `select` does not take this one.
  public var index: Int
  /// Why the fetch that found the asset did not queue it; nil if it did, or no rule speaks of it.
  public var omittedBy: OmissionRule?

  var isFeedBody: Bool { url.isEmpty }

  /// The body of a feed, with the type that it is expected to have by the name of the file placed before, or by its address.
  public static func feedBody(replacing former: PlacedFile?, at address: WebAddress?) -> Asset {
    let names = [former?.name, address?.text].compactMap(\.self)
    return Asset(
      url: "",
      type: names.lazy.compactMap { fileExtension(ofAddress: $0) }.compactMap { mediaType(ofExtension: $0) }
        .first)
  }

  public init(url: String, type: String? = nil, length: Int64? = nil, index: Int = 1) {
    (self.url, self.type, self.length, self.index) = (url, type, length, index)
  }

  /// The length in the document, unless no file can have it.
  public var plausibleLength: Int64? { length.flatMap { (1...(64 << 30)).contains($0) ? $0 : nil } }

  /// Identifies the asset within its item: its URL without query and fragment, because tracking parameters change.
  public var key: UInt64 { Fingerprint(of: withoutParameters(url)).value }
}

/// The facts about an item that its transfers need.
public struct TransferItem: Equatable, Sendable {
  public var number: Int64
  /// The guid, else the link.
  public var id: String?
  public var title: String?
  public var published: Instant?
  var firstSeen: Instant

  public init(number: Int64, id: String?, title: String?, published: Instant?, firstSeen: Instant) {
    (self.number, self.id, self.title, self.published) = (number, id, title, published)
    self.firstSeen = firstSeen
  }

  /// The date of publication, else of the first sight.
  var date: Instant { published ?? firstSeen }
}

/// The status of a transfer.
public enum TransferStatus: String, Sendable, CaseIterable {
  /// It waits for its turn, or for its next attempt.
  case queued
  /// A process is downloading or placing it.
  case running
  /// It was stopped, and continues by itself later or when the person resumes it.
  case suspended
  /// Its file is placed, or the file downloaded before is still current.
  case finished
  /// It failed permanently.
  case failed
  /// The person does not want it.
  case cancelled

  /// Whether nothing more happens to it.
  public var isSettled: Bool { [.finished, .failed, .cancelled].contains(self) }
}

/// The bytes of an unfinished download, and the facts for resuming it.
public struct PartialDownload: Equatable, Sendable {
  /// The bytes of the partial file that are safely on its file system; the rest is cut off before resuming.
  public var bytes: Int64 = 0
  /// The SHA-256 of these bytes, verified before resuming; nil without bytes.
  public var sha256: String?
  /// The size of the whole file according to the first response.
  public var total: Int64?
  /// `ETag` of that response, byte for byte.
  public var entityTag: String?
  /// `Last-Modified` of that response, byte for byte.
  public var lastModified: String?
  /// `Date` of that response, which decides whether `Last-Modified` is a strong validator.
  public var date: String?
  /// Whether the server accepts ranges (`Accept-Ranges: bytes`, or a 206); nil if it does not say.
  public var acceptsRanges: Bool?
  /// The address at the end of all redirects; validators are sent nowhere else.
  public var address: String?

  public init() {}
}

/// Why an attempt at a transfer produced no whole file.
public enum TransferFailure: Error, Equatable, Sendable {
  /// There was no complete response, or none with a file.
  case fetch(FetchFailure)
  /// A problem with the documents directory, or with a file in it.
  case documents(DocumentsProblem)
  /// The address in the document is neither http nor https: it is relative, or names a file.
  case noWebAddress
  /// A page instead of the file; a name for it.
  case page(String)
  /// The response had no byte.
  case empty
  /// Fewer bytes than the server or the document promised.
  case short(received: Int64, total: Int64)
  /// More bytes than the server promised.
  case overlong(total: Int64)
  /// A 206 with another range than requested, or of a file of another size; what the server sent, in words.
  case wrongRange(String)
  /// The partial file is of another version of the file; how that is known, in words.
  case changed(String)
  /// The file is larger than `max-size`; the size if the server said it.
  case tooLarge(limit: ByteCount, size: ByteCount?)
  /// The server compressed the file although the request did not allow it; the coding.
  case encoded(String)
}

/// A problem with a documents directory or a file in it; paths are absolute.
public enum DocumentsProblem: Error, Equatable, Sendable {
  /// The directory was used before and is gone: its file system is not mounted.
  case gone(path: String)
  /// The file system, or the user's quota on it, is full.
  case full(path: String)
  /// The file system has less space than `free-space` demands.
  case belowFreeSpace(path: String, free: ByteCount, floor: ByteCount)
  /// The file system is read-only, permissions forbid it, or no more files can be opened; the detail is the system's.
  case denied(path: String, detail: String)
  /// Another user owns a directory on the path; nil if every user can write to it.
  case unsafe(path: String, owner: UInt32?)
  /// The directory, or the one of its partial files, is a symbolic link or a file; or a partial file is a directory.
  case inTheWay(path: String)
  /// A symbolic link or a file is in the place of a directory in a file's name.
  case notDirectory(path: String)
  /// The file system refuses the name of a file or of a directory in it; the detail is the system's.
  case nameRefused(path: String, detail: String)
  /// The partial file was changed or removed by another program.
  case partialLost(path: String)
  /// The file is larger than the file system allows (FAT: 4 GiB).
  case fileTooLarge(path: String)
  /// Any other error of the system.
  case other(path: String, detail: String)

  /// The problem if a number of bytes would leave a file system less space than the floor of `free-space`.
  ///
  /// If more than the floor is free, it names the space that the file needs.
  public static func shortage(
    in directory: String, free: ByteCount, for bytes: Int64, floor: ByteCount
  ) -> DocumentsProblem? {
    guard free.bytes - max(0, bytes) < floor.bytes else { return nil }
    let least =
      free < floor ? floor : ByteCount(floor.bytes.addingReportingOverflow(max(0, bytes)).partialValue)
    return .belowFreeSpace(path: directory, free: free, floor: least)
  }
}

/// A failure in words: lower case, with the cure if there is one.
public func text(of failure: TransferFailure) -> String {
  switch failure {
  case .fetch(let failure): text(ofDownload: failure)
  case .documents(let problem): text(of: problem)
  case .noWebAddress: "the document gives no http or https address for the file"
  case .page(let what): "the server sent \(what) instead of the file"
  case .empty: "the file is empty"
  case .short(let received, let total):
    "only \(received) of \(total) bytes were received"
  case .overlong(let total): "more than the announced \(total) bytes were received"
  case .wrongRange(let what): "the server sent \(what)"
  case .changed(let how): "the file has changed on the server: \(how)"
  case .tooLarge(let limit, let size):
    "the file is " + (size.map { "\($0.text), " } ?? "") + "larger than \(limit.text); see download.max-size"
  case .encoded(let coding):
    "the server compressed the file (\(coding)) although the request did not allow it"
  }
}

private func text(ofDownload failure: FetchFailure) -> String {
  switch failure {
  case .status(let status): "the server answered \(status)" + FetchFailure.meaning(of: status, for: "file")
  case .tooLarge(let limit): text(of: .tooLarge(limit: limit, size: nil))
  case .challenged(let who): "\(who) sent a browser check; download the file with a browser"
  case .truncated: "the file ends in the middle"
  default: failure.text
  }
}

/// The cure, in words, for a documents directory that is gone, or whose `.bgfetch` is gone.
public func cureOfGoneDirectory(_ path: String) -> String {
  let parts = path.hasSuffix("/.bgfetch") ? path : path + "/.bgfetch"
  return "mount it, or to start with an empty directory, mkdir -p \(parts)"
}

private func text(of problem: DocumentsProblem) -> String {
  switch problem {
  case .gone(let path): "the directory \(path) is gone; \(cureOfGoneDirectory(path))"
  case .full(let path): "the file system of \(path) is full"
  // Without the space that is free: the words tell later runs whether it is the same problem.
  case .belowFreeSpace(let path, _, let floor):
    "the file system of \(path) has less than \(floor.text) left; see free-space"
  case .denied(let path, let detail): "cannot write to \(path): \(detail)"
  case .unsafe(let path, let owner?):
    "\(path) belongs to user \(owner), who could change it; chown it to yourself, or use another path"
  case .unsafe(let path, nil): "every user can write to \(path); chmod go-w it, or use another path"
  case .inTheWay(let path):
    "\(path) is in the way: it is "
      + (path.hasSuffix(".part") ? "a directory with files" : "a symbolic link, or not a directory")
      + "; move it away"
  case .notDirectory(let path):
    "\(path) is a symbolic link, which is not followed, or no directory; move it away, or set download.name"
  case .nameRefused(let path, let detail):
    "the file system does not accept the name \(path): \(detail); set download.name"
  case .partialLost(let path): "the partial file \(path) was changed or removed by another program"
  case .fileTooLarge(let path): "the file is too large for the file system of \(path)"
  case .other(let path, let detail): "\(path): \(detail)"
  }
}
