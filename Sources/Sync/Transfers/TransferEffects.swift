// What the transfer phase asks of the state store and of the documents directories.

public import Core

/// What the transfer phase asks of the state store; each closure is one short transaction, or a part of one.
public struct TransferStoreEffects: Sendable {
  /// Every transfer that is not settled, in the order in which they were queued.
  public var unsettled: @Sendable () async throws -> [Transfer]
  /// Makes a queued or suspended transfer running, in a directory; false if it is neither any more, or held.
  public var begin: @Sendable (_ transfer: Int64, _ directory: String, Instant) async throws -> Bool
  /// Keeps what is safely there of a running transfer; false if it is not running any more.
  public var checkpoint:
    @Sendable (_ transfer: Int64, PartialDownload, _ isProgress: Bool) async throws -> Bool
  /// Leaves a running transfer for later; false if it is not running any more, and only what is there of it was kept.
  public var leave: @Sendable (TransferLeave) async throws -> Bool
  /// Records the requests of an attempt at a transfer that somebody else has ended.
  public var noteRequests: @Sendable (_ transfer: Int64, [RequestRecord]) async throws -> Void
  /// Records under which name a running transfer is placed, and what is safely there of it, so that no power cut takes
  /// it back; false if it is not running any more.
  public var intend: @Sendable (_ transfer: Int64, PlacementIntent, PartialDownload) async throws -> Bool
  /// Settles a transfer that is not settled, with all that follows from it; false if somebody else was first.
  public var settle: @Sendable (TransferSettlement, _ run: Int64?) async throws -> Bool
  /// Takes a running transfer that is the fetch of a feed out of the store as if it had never been, and writes what the
  /// fetch came to and when the feed is next due; false if it is not running any more.
  public var forgetBody:
    @Sendable (_ transfer: Int64, FeedCommit, _ nextDue: Instant?, _ run: Int64?) async throws -> Bool
  /// Leaves a running transfer that is the fetch of a feed for the next fetch, and writes what this one came to; false
  /// if it is not running any more.
  public var leaveBody:
    @Sendable (TransferLeave, FeedCommit, _ nextDue: Instant?, _ run: Int64?) async throws -> Bool
  /// Makes what a dead process left running suspended again, but for what was being placed; under the transfer lock.
  ///
  /// Gives those that have an intent: whether their file has its name already, only the directory knows.
  public var takeInterrupted: @Sendable (Instant) async throws -> [Transfer]
  /// The directories that were used before, so that one that is gone is not made anew.
  public var usedDirectories: @Sendable () async throws -> Set<String>
  /// Remembers that a directory is used.
  public var noteDirectory: @Sendable (_ path: String, Instant) async throws -> Void
  /// A feed's placed files that were not removed, the oldest item first.
  public var placedFiles: @Sendable (FeedName) async throws -> [PlacedTransfer]
  /// The feeds that have placed files that were not removed.
  public var feedsWithFiles: @Sendable () async throws -> [FeedName]
  /// Whether a name in a directory, in any mixture of cases, is that of a file placed by bgfetch; and by which feed.
  public var owner: @Sendable (_ directory: String, _ name: String) async throws -> FeedName?
  /// Remembers that placed files were removed, or were found to be gone.
  public var markRemoved: @Sendable (_ transfers: [Int64], Instant) async throws -> Void
  /// A feed's last finished transfer of the very same URL; nil if there is none.
  public var lastFinished: @Sendable (FeedName, _ url: String) async throws -> Transfer?
  /// What is known of an item by its number; nil if there is none.
  public var item: @Sendable (Int64) async throws -> StoredItem?

  /// The store of a transfer phase.
  public init(
    unsettled: @escaping @Sendable () async throws -> [Transfer],
    begin: @escaping @Sendable (_ transfer: Int64, _ directory: String, Instant) async throws -> Bool,
    checkpoint:
      @escaping @Sendable (_ transfer: Int64, PartialDownload, _ isProgress: Bool) async throws -> Bool,
    leave: @escaping @Sendable (TransferLeave) async throws -> Bool,
    noteRequests: @escaping @Sendable (_ transfer: Int64, [RequestRecord]) async throws -> Void,
    intend: @escaping @Sendable (_ transfer: Int64, PlacementIntent, PartialDownload) async throws -> Bool,
    settle: @escaping @Sendable (TransferSettlement, _ run: Int64?) async throws -> Bool,
    forgetBody:
      @escaping @Sendable (_ transfer: Int64, FeedCommit, _ nextDue: Instant?, _ run: Int64?) async throws
      -> Bool,
    leaveBody:
      @escaping @Sendable (TransferLeave, FeedCommit, _ nextDue: Instant?, _ run: Int64?) async throws -> Bool,
    takeInterrupted: @escaping @Sendable (Instant) async throws -> [Transfer],
    usedDirectories: @escaping @Sendable () async throws -> Set<String>,
    noteDirectory: @escaping @Sendable (_ path: String, Instant) async throws -> Void,
    placedFiles: @escaping @Sendable (FeedName) async throws -> [PlacedTransfer],
    feedsWithFiles: @escaping @Sendable () async throws -> [FeedName],
    owner: @escaping @Sendable (_ directory: String, _ name: String) async throws -> FeedName?,
    markRemoved: @escaping @Sendable (_ transfers: [Int64], Instant) async throws -> Void,
    lastFinished: @escaping @Sendable (FeedName, _ url: String) async throws -> Transfer?,
    item: @escaping @Sendable (Int64) async throws -> StoredItem?
  ) {
    self.unsettled = unsettled
    self.begin = begin
    self.checkpoint = checkpoint
    self.leave = leave
    self.noteRequests = noteRequests
    self.intend = intend
    self.settle = settle
    self.forgetBody = forgetBody
    self.leaveBody = leaveBody
    self.takeInterrupted = takeInterrupted
    self.usedDirectories = usedDirectories
    self.noteDirectory = noteDirectory
    self.placedFiles = placedFiles
    self.feedsWithFiles = feedsWithFiles
    self.owner = owner
    self.markRemoved = markRemoved
    self.lastFinished = lastFinished
    self.item = item
  }
}

/// What the transfer phase does in documents directories.
///
/// Every path is taken below the directory without following symbolic links in it.
public struct DocumentsEffects: Sendable {
  /// Makes a directory ready: makes it, unless it was used before and is gone, and its `.bgfetch` below it; gives the room
  /// of its file system, nil where that is not known.
  public var prepare:
    @Sendable (_ directory: String, _ wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem>
  /// Opens the partial file of a transfer, cut back to so many bytes; one that is missing or shorter is `partialLost`
  /// unless 0 bytes are kept.
  public var open:
    @Sendable (_ directory: String, _ transfer: Int64, _ keeping: Int64) async
      -> Result<any PartialFile, DocumentsProblem>
  /// Gives the partial file of a transfer its final name, the way the intent says; `nameTaken` is success where another
  /// file has the name: another name is to be chosen.
  ///
  /// Where it lies on another file system than the directory, that one, too, is left no less room than the floor.
  public var place:
    @Sendable (_ transfer: Int64, PlacementIntent, _ floor: ByteCount) async
      -> Result<PlaceOutcome, DocumentsProblem>
  /// Whether the file of an intent has its final name already.
  public var isPlaced: @Sendable (PlacementIntent) async -> Result<Bool, DocumentsProblem>
  /// Removes what a process that died has left where it placed a file, which is not there.
  public var clear: @Sendable (_ transfer: Int64, PlacementIntent) async -> Void
  /// Whether anything has a name in a directory, without regard to case.
  public var isTaken: @Sendable (_ directory: String, _ name: String) async -> Result<Bool, DocumentsProblem>
  /// Removes the partial file of a transfer, if there is one.
  public var discard: @Sendable (_ directory: String, _ transfer: Int64) async -> Void
  /// Removes the partial files of a directory whose transfer is not among these.
  public var discardOthers: @Sendable (_ directory: String, _ keeping: Set<Int64>) async -> Void
  /// Removes a placed file; gives false if it was not there any more, or is another file by now: of another size, unless
  /// that may have been changed.
  public var remove: @Sendable (PlacedFile, _ isOfAnySize: Bool) async -> Result<Bool, DocumentsProblem>
  /// Whether a placed file is still there, as it was or, where that may have been changed, of any size.
  public var exists: @Sendable (PlacedFile, _ isOfAnySize: Bool) async -> Bool
  /// The room of the file system of a directory.
  public var space: @Sendable (_ directory: String) async -> Result<FileSystemSpace, DocumentsProblem>

  /// Documents directories.
  public init(
    prepare:
      @escaping @Sendable (_ directory: String, _ wasUsed: Bool) async -> Result<
        FileSystemSpace?, DocumentsProblem
      >,
    open:
      @escaping @Sendable (_ directory: String, _ transfer: Int64, _ keeping: Int64) async
      -> Result<any PartialFile, DocumentsProblem>,
    place:
      @escaping @Sendable (_ transfer: Int64, PlacementIntent, _ floor: ByteCount) async
      -> Result<PlaceOutcome, DocumentsProblem>,
    isPlaced: @escaping @Sendable (PlacementIntent) async -> Result<Bool, DocumentsProblem>,
    clear: @escaping @Sendable (_ transfer: Int64, PlacementIntent) async -> Void,
    isTaken:
      @escaping @Sendable (_ directory: String, _ name: String) async -> Result<Bool, DocumentsProblem>,
    discard: @escaping @Sendable (_ directory: String, _ transfer: Int64) async -> Void,
    discardOthers: @escaping @Sendable (_ directory: String, _ keeping: Set<Int64>) async -> Void,
    remove:
      @escaping @Sendable (PlacedFile, _ isOfAnySize: Bool) async -> Result<Bool, DocumentsProblem>,
    exists: @escaping @Sendable (PlacedFile, _ isOfAnySize: Bool) async -> Bool,
    space: @escaping @Sendable (_ directory: String) async -> Result<FileSystemSpace, DocumentsProblem>
  ) {
    self.prepare = prepare
    self.open = open
    self.place = place
    self.isPlaced = isPlaced
    self.clear = clear
    self.isTaken = isTaken
    self.discard = discard
    self.discardOthers = discardOthers
    self.remove = remove
    self.exists = exists
    self.space = space
  }
}

/// Everything the transfer phase does to the world beside what every run does.
public struct TransferEffects: Sendable {
  /// The state store.
  public var store: TransferStoreEffects
  /// The documents directories.
  public var documents: DocumentsEffects
  /// Sends one request whose body goes to a receiver; a cancelled task gives `.suspended`.
  ///
  /// Of an answer other than 2xx nothing goes there. When it returns, the receiver is not called any more.
  public var download: @Sendable (Request, any BodyReceiver) async -> Result<Response, FetchFailure>

  /// The world of a transfer phase.
  public init(
    store: TransferStoreEffects, documents: DocumentsEffects,
    download: @escaping @Sendable (Request, any BodyReceiver) async -> Result<Response, FetchFailure>
  ) {
    self.store = store
    self.documents = documents
    self.download = download
  }
}
