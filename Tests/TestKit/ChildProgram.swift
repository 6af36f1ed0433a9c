// Programs that a test starts, and the socket on which a service reports to its manager.

import CLinux
import Glibc
import Synchronization

/// A program in a session of its own, with default signals and only the three standard streams.
///
/// If it is released before its end, it is killed with everything that it has started.
public final class ChildProgram: Sendable {
  /// Its process.
  public let number: Int32
  private let life = Life()

  /// The error of posix_spawn(3).
  public struct NotStarted: Error {
    /// An error number, errno(3).
    public let code: Int32
  }

  /// The file behind a stream.
  public enum Stream: Sendable {
    case file(String)
    case descriptor(Int32)

    /// Reads nothing, and discards what is written.
    public static let nothing = Stream.file("/dev/null")
  }

  /// Starts a program by its path.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String], directory: String,
    input: Stream = .nothing, output: Stream = .nothing, errors: Stream = .nothing
  ) throws(NotStarted) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, place) in zip(Int32(0)..., [input, output, errors]) {
      switch place {
      case .file(let path): posix_spawn_file_actions_addopen(&actions, number, path, O_RDWR | O_CREAT, 0o600)
      case .descriptor(let open): posix_spawn_file_actions_adddup2(&actions, open, number)
      }
    }
    _ = bgfetch_add_close_from(&actions, STDERR_FILENO + 1)
    _ = bgfetch_add_change_directory(&actions, directory)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, bgfetch_spawn_flags)

    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0.key + "=" + $0.value) } + [nil]
    defer { for text in words + variables { free(text) } }
    var number = pid_t()
    let code = posix_spawn(&number, path, &actions, &attributes, &words, &variables)
    guard code == 0 else { throw NotStarted(code: code) }
    self.number = number
    let started = number
    WorkerThread { [life] in life.reap(started) }.detach()
  }

  deinit {
    guard life.status.withLock({ $0 == nil }) else { return }
    life.kill(-number, SIGKILL)
    life.over.pass()
  }

  /// Sends it a signal, if it has not ended.
  public func signal(_ signal: Int32) { life.kill(number, signal) }

  /// Blocks until it has ended; returns its exit status, or 128 + n after signal n.
  ///
  /// After `longestWait` it is killed with everything that it has started.
  public func wait() -> Int32 {
    if !life.over.pass() {
      life.kill(-number, SIGKILL)
      life.over.pass()
    }
    return life.status.withLock { $0 } ?? -1
  }

  /// Like `wait`, without blocking the caller's thread.
  public func ended() async -> Int32 {
    let start = ContinuousClock.now
    let status = await withCheckedContinuation { continuation in
      WorkerThread { continuation.resume(returning: self.wait()) }.detach()
    }
    if ContinuousClock.now - start >= longestWait { recordWaitInVain(for: "the end of process \(number)") }
    return status
  }

  /// Whether the process lives; its thread keeps this alive and not the program, so that the program can be released.
  private final class Life: Sendable {
    /// Opens when the process has been reaped.
    let over = Gate()
    let status = Mutex<Int32?>(nil)

    /// Waits for its end, and reaps it at once: Swift Testing waits for any child of this process to end, and a zombie that is
    /// not its own hides those of its exit tests.
    func reap(_ number: pid_t) {
      // It stays a zombie at first: a number that is free again may be another process's when a signal is sent.
      var information = siginfo_t()
      while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
      status.withLock { ended in
        var status: Int32 = 0
        while waitpid(number, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7F
        ended = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
      }
      over.open()
    }

    func kill(_ number: pid_t, _ signal: Int32) {
      status.withLock { if $0 == nil { _ = Glibc.kill(number, signal) } }
    }
  }
}

/// Receives the reports of a service to its manager (sd_notify(3)).
public final class NotifySocket: Sendable {
  /// The path of the socket.
  public let path: String
  private let descriptor: Int32
  private let lines = Mutex<[String]>([])

  /// Listens at a path, or at an abstract address that begins with @.
  public init(_ path: String) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    precondition(descriptor >= 0 && outcome == 0, "no socket: errno \(errno)")
  }

  deinit { close(descriptor) }

  /// All lines so far, in the order in which they came.
  public var heard: [String] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { break }
      let text = String(decoding: buffer.prefix(count), as: UTF8.self)
      lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
    }
    return lines.withLock { $0 }
  }
}
