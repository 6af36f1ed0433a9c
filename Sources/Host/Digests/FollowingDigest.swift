// The SHA-256 of a file that grows: computed with the writer while the file is small, then behind it, from what it wrote.

import CLinux
import Core
import Glibc
import Synchronization

/// The SHA-256 of a file that grows.
///
/// The first bytes are taken as they are written: most files are small, and have neither a thread nor a second reading.
/// From then on a thread that comes and goes reads the file after the writer out of the page cache. So the writer never
/// waits for a large file's digest, no bytes are held for it, and what an earlier run left in the file is nothing
/// special. Where a network file system keeps no cache, the bytes travel once more.
final class FollowingDigest: Sendable {
  private struct Progress {
    /// How long the file is.
    var size: Int64
    /// How much of it the digest has taken.
    var taken: Int64 = 0
    /// Counts how often it began anew.
    var beginning = 0
    /// Whether a thread is at it, the writer's perhaps.
    var isFollowing = false
    var isAbandoned = false
    /// Nothing more comes of it until it begins anew.
    var problem: DocumentsProblem?
    var waiting: [Waiter] = []

    /// Takes out those who wait for no more bytes than the digest has taken; all of them where no more come.
    mutating func takeReady() -> [Waiter] {
      guard problem == nil, !isAbandoned else {
        defer { waiting = [] }
        return waiting
      }
      let ready = waiting.filter { $0.atLeast <= taken }
      waiting.removeAll { $0.atLeast <= taken }
      return ready
    }
  }

  /// Somebody who waits for the digest of so many bytes at least.
  private struct Waiter {
    var atLeast: Int64
    let continuation: CheckedContinuation<Result<DigestedBytes, DocumentsProblem>, Never>
  }

  /// What the thread does next.
  private enum Step {
    case take(from: Int64, count: Int, beginning: Int)
    case tell([Waiter], DocumentsProblem?, bytes: Int64)
    case rest
  }

  /// A thread starts when so many bytes wait for the digest, and ends when fewer than a quarter of them are left; so many
  /// are taken at once.
  private static let enough: Int64 = 4 << 20
  private static let piece = 256 << 10
  /// The disk is told of so many bytes at once that it may begin with, long before it is waited for.
  private static let stretch: Int64 = 8 << 20

  private let file: Descriptor
  private let path: String
  private let progress: Mutex<Progress>
  /// Only ever locked by the one thread that is at it.
  private let digest: Mutex<SHA256>

  /// A digest of a file's first bytes.
  init(_ file: Descriptor, path: String, size: Int64) throws(DocumentsProblem) {
    self.file = file
    self.path = path
    progress = Mutex(Progress(size: size))
    digest = Mutex(try SHA256(of: path))
    follow(ifFurther: Self.enough)
  }

  /// How long the file is, and how often it began anew.
  var extent: (size: Int64, beginning: Int) { progress.withLock { ($0.size, $0.beginning) } }

  /// How many bytes it has not taken yet; none where no more can be taken.
  var unread: Int64 { progress.withLock { $0.problem == nil ? max(0, $0.size - $0.taken) : 0 } }

  /// These bytes were added to the file.
  func grow(by bytes: RawSpan) {
    let place: (offset: Int64, beginning: Int)? = progress.withLock { progress in
      defer { progress.size += Int64(bytes.byteCount) }
      guard !progress.isFollowing, progress.problem == nil, progress.taken == progress.size,
        progress.size < Self.enough
      else { return nil }
      progress.isFollowing = true
      return (progress.size, progress.beginning)
    }
    guard let place else { return follow(ifFurther: Self.enough) }
    let outcome = Result { () throws(DocumentsProblem) in
      try digest.withLock { digest throws(DocumentsProblem) in
        if place.offset == 0 { try digest.restart() }
        try digest.add(bytes)
      }
      return bytes.byteCount
    }
    note(outcome, beginning: place.beginning)
    // Somebody may have asked meanwhile.
    run(mayRead: false)
  }

  /// The file was cut back to nothing.
  func restart() {
    progress.withLock {
      $0.size = 0
      $0.taken = 0
      $0.beginning += 1
      $0.problem = nil
      for place in $0.waiting.indices { $0.waiting[place].atLeast = 0 }
    }
  }

  /// Nobody wants it any more.
  func abandon() {
    progress.withLock { $0.isAbandoned = true }
  }

  /// The digest of the whole file as it is now, or of more that comes meanwhile, when that has been read.
  func text() async -> Result<DigestedBytes, DocumentsProblem> {
    await withCheckedContinuation { continuation in
      progress.withLock { progress in
        progress.waiting.append(Waiter(atLeast: progress.size, continuation: continuation))
      }
      follow(ifFurther: 0)
    }
  }

  /// Starts a thread, if none is at it and there is enough to do; where nothing has to be read, none is needed.
  private func follow(ifFurther least: Int64) {
    let unread: Int64? = progress.withLock {
      guard !$0.isFollowing, $0.problem == nil || least == 0, $0.size - $0.taken >= least else { return nil }
      $0.isFollowing = true
      return $0.size - $0.taken
    }
    guard let unread else { return }
    if unread > 0 { startReading() } else { run(mayRead: false) }
  }

  private func startReading() {
    do throws(SystemError) {
      try startThread { [self] in run(mayRead: true) }
    } catch {
      // Without anybody waiting, the next bytes ask again.
      let waiting = progress.withLock { progress in
        defer { progress.waiting = [] }
        progress.isFollowing = false
        return progress.waiting
      }
      for one in waiting { one.continuation.resume(returning: .failure(DocumentsProblem(path, error))) }
    }
  }

  /// Tells those who wait, and reads for them, where there is a thread for it.
  private func run(mayRead: Bool) {
    var buffer: [UInt8] = []
    while true {
      switch next() {
      case .rest: return
      case .take where !mayRead: return startReading()
      case .tell(let waiting, let problem, let bytes):
        let outcome =
          problem.map(Result.failure)
          ?? text(ofEmpty: bytes == 0).map { DigestedBytes(bytes: bytes, sha256: $0) }
        for one in waiting { one.continuation.resume(returning: outcome) }
      case .take(let offset, let count, let beginning):
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.piece) }
        let outcome = Result { () throws(DocumentsProblem) in
          try take(from: offset, atMost: count, through: &buffer)
        }
        note(outcome, beginning: beginning)
      }
    }
  }

  private func next() -> Step {
    progress.withLock { progress in
      let ready = progress.takeReady()
      guard ready.isEmpty else { return .tell(ready, progress.problem, bytes: progress.taken) }
      let left = progress.size - progress.taken
      let isWanted = !progress.waiting.isEmpty || left >= Self.enough / 4
      if progress.problem == nil, !progress.isAbandoned, left > 0, isWanted {
        let count = Int(min(left, Int64(Self.piece)))
        return .take(from: progress.taken, count: count, beginning: progress.beginning)
      }
      progress.isFollowing = false
      return .rest
    }
  }

  /// Gives how many bytes the digest took.
  private func take(
    from offset: Int64, atMost count: Int, through buffer: inout [UInt8]
  ) throws(DocumentsProblem) -> Int {
    let read = try onDocument(path) { () throws(SystemError) in
      try file.read(into: &buffer, count, at: offset)
    }
    try digest.withLock { digest throws(DocumentsProblem) in
      if offset == 0 { try digest.restart() }
      try digest.add(buffer, read)
    }
    let last = offset + Int64(read)
    if last / Self.stretch > offset / Self.stretch {
      // Whoever brings the file to the disk in the end has little left to wait for.
      file.borrow { bgfetch_begin_writing($0, off_t(last - Self.stretch), off_t(Self.stretch)) }
    }
    return read
  }

  private func note(_ outcome: Result<Int, DocumentsProblem>, beginning: Int) {
    progress.withLock {
      // What was taken of a file that began anew meanwhile is forgotten with the next first piece.
      guard $0.beginning == beginning else { return }
      switch outcome {
      // Somebody else has cut the file.
      case .success(0): $0.problem = .partialLost(path: path)
      case .success(let count): $0.taken += Int64(count)
      case .failure(let problem): $0.problem = problem
      }
    }
  }

  private func text(ofEmpty isEmpty: Bool) -> Result<String, DocumentsProblem> {
    Result { () throws(DocumentsProblem) in
      try digest.withLock { digest throws(DocumentsProblem) in
        if isEmpty { try digest.restart() }
        return try digest.text()
      }
    }
  }
}
