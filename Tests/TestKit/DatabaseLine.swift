// A line to the PostgreSQL server that can be held, cut, slow, or in pieces.

import Glibc
import Synchronization

/// A socket in a directory of its own, whose bytes go to the server's socket and back.
public final class DatabaseLine: Sendable {
  private let directory: TemporaryDirectory
  private let user: String
  private let core: Line

  /// A line to the server of a connection string such as `host=/tmp/x user=bgfetch`.
  public init(to place: String) throws {
    let words = place.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    func value(_ key: String) -> String? { words.first { $0.first == key && $0.count == 2 }?[1] }
    directory = try TemporaryDirectory()
    user = value("user") ?? "bgfetch"
    core = try Line(at: directory.path, to: value("host") ?? "/var/run/postgresql")
    WorkerThread { [core] in core.accept() }.detach()
  }

  deinit { core.end() }

  /// The connection string of the line.
  public var place: String { "host=\(directory.path) user=\(user)" }

  /// The number of connections so far.
  public var connections: Int { core.state.withLock { $0.connections } }

  /// Keeps all bytes back until the gate opens.
  public func hold(by gate: Gate) { core.state.withLock { $0.gate = gate } }

  /// Sends all data this much later, in each direction.
  public func delay(by milliseconds: UInt32) { core.state.withLock { $0.delay = milliseconds } }

  /// Sends all data in pieces of this many bytes.
  public func split(into bytes: Int) { core.state.withLock { $0.piece = bytes } }

  /// Loses the answer to the first text of this kind that is sent after another one, and ends that connection.
  public func loseAnswer(to text: String = "COMMIT", after first: String) {
    core.state.withLock { $0.lost = [first, text] }
  }

  /// Whether it lost that answer.
  public var hasLostAnswer: Bool { core.state.withLock { $0.lost.isEmpty } }

  /// Ends all connections; new ones are possible.
  public func cut() { core.cut() }
}

/// The sockets and threads of a line, which live as long as the threads.
private final class Line: Sendable {
  struct State {
    var gate: Gate?
    var piece = 1 << 16
    /// In milliseconds.
    var delay: UInt32 = 0
    /// The texts to wait for, one after the other, before an answer is lost.
    var lost: [String] = []
    var sockets: Set<Int32> = []
    var connections = 0
  }

  let state = Mutex(State())
  private let listener: Int32
  private let server: String

  init(at directory: String, to server: String) throws {
    self.server = server
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let isBound = Self.withAddress(of: directory) { bind(listener, $0, $1) } == 0
    guard isBound, listen(listener, 64) == 0 else {
      throw SocketProblem(call: "listen", code: errno)
    }
  }

  func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    state.withLock { $0.gate }?.open()
    cut()
  }

  func cut() {
    state.withLock { state in
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  /// Accepts connections until the line ends, or there are none for `longestWait`.
  func accept() {
    while isReadable(listener) {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      let there = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard Self.withAddress(of: server, { connect(there, $0, $1) }) == 0 else {
        Glibc.close(client)
        Glibc.close(there)
        continue
      }
      state.withLock { state in
        state.sockets.formUnion([client, there])
        state.connections += 1
      }
      WorkerThread { [self] in carry(client, there) }.detach()
    }
    Glibc.close(listener)
  }

  /// Carries the bytes of a connection in both directions until one end closes.
  private func carry(_ client: Int32, _ there: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var watched = [client, there].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let milliseconds = Int32(longestWait / .milliseconds(1))
    while poll(&watched, 2, milliseconds) > 0 {
      for (from, to) in [(0, there), (1, client)] where watched[from].revents != 0 {
        let count = read(watched[from].fd, &buffer, buffer.count)
        usleep(state.withLock { $0.delay } * 1000)
        guard count > 0, state.withLock({ $0.gate })?.pass() ?? true, write(all: buffer[..<count], to: to)
        else { return close(client, there) }
        if from == 0, losesAnswer(to: buffer[..<count]) {
          _ = isReadable(there)
          return close(client, there)
        }
      }
    }
    close(client, there)
  }

  private func losesAnswer(to bytes: ArraySlice<UInt8>) -> Bool {
    state.withLock { state in
      guard let text = state.lost.first, bytes.firstRange(of: Array(text.utf8)) != nil else { return false }
      state.lost.removeFirst()
      return state.lost.isEmpty
    }
  }

  private func write(all bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(state.withLock { $0.piece })
      let count = piece.withUnsafeBytes {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func close(_ client: Int32, _ there: Int32) {
    state.withLock { state in
      state.sockets.subtract([client, there])
      Glibc.close(client)
      Glibc.close(there)
    }
  }

  private static func withAddress(
    of directory: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: "\(directory)/.s.PGSQL.5432".utf8.prefix(107))
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
