// The badge file: one number and a newline, replaced whole under a lock of its own.

import Core
import Host
import Sync

/// The badge file.
struct BadgeFile: Sendable {
  private let path: String
  private let lock: String
  private let clock: WallClock

  init(settings: Settings, clock: WallClock) {
    path = settings.badge
    lock = settings.state + "/badge.lock"
    self.clock = clock
  }

  /// Makes the file say the number that `badge` gives, which is asked for under the lock: two writers cannot put an older
  /// number over a newer one.
  func update(to badge: () async throws -> Int) async throws -> BadgeChange {
    let held = try await acquire()
    defer { held?.release() }
    let number = try await badge()
    guard held != nil else { return BadgeChange(badge: number, hasChanged: false) }
    let text = Array("\(number)\n".utf8)
    do throws(FileFailure) {
      try FileSafety.require(path)
    } catch {
      throw ProgramFailure.file(error, purpose: "the badge")
    }
    if let before = try? readFile(path, limit: ByteCount(64), patience: .zero), before == text {
      return BadgeChange(badge: number, hasChanged: false)
    }
    do throws(FileFailure) {
      if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        try makePrivateDirectory(String(path[..<slash]))
      }
      try AtomicFile.replace(path, with: text, permissions: 0o644, isLocked: true)
    } catch {
      throw ProgramFailure.file(error, purpose: "the badge")
    }
    return BadgeChange(badge: number, hasChanged: true)
  }

  /// The file's lock; nil where the run was told to stop while another process had it, which then writes the number.
  private func acquire() async throws -> FileLock? {
    if case .acquired(let free) = try FileLock.tryAcquire(lock, clock: clock) { return free }
    do {
      return try await FileLock.acquire(lock, clock: clock)
    } catch is CancellationError {
      return nil
    }
  }
}
