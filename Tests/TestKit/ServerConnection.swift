// One connection of the server: reads requests, plays responses step by step.

import Glibc

/// A connection being served; it lives on its thread alone.
struct ServerConnection {
  let socket: Int32
  let number: Int
  let core: ServerCore
  private var unread: [UInt8] = []
  /// The present request, and the bytes of the head that are still to be sent; all after them is body.
  private var path = ""
  private var headLeft = 0

  init(socket: Int32, number: Int, core: ServerCore) {
    (self.socket, self.number, self.core) = (socket, number, core)
  }

  /// Serves requests until one side closes.
  mutating func serve() {
    while let request = readRequest() {
      let answer = core.begin(request)
      let goesOn = perform(answer.fitting(request), for: request)
      core.end()
      guard goesOn else { break }
    }
  }

  // MARK: Requests in

  private mutating func readRequest() -> ReceivedRequest? {
    let end: [UInt8] = [13, 10, 13, 10]
    var searched = 0
    while true {
      if let found = unread[searched...].firstRange(of: end) {
        guard var request = ReceivedRequest(head: Array(unread[..<found.lowerBound])) else { return nil }
        unread.removeFirst(found.upperBound)
        let length = request["Content-Length"].flatMap { Int($0) } ?? 0
        while unread.count < length {
          guard receive() else { return nil }
        }
        request.body = Array(unread.prefix(length))
        unread.removeFirst(length)
        request.connection = number
        request.origin = core.origin
        return request
      }
      if unread.first == 0x16 {
        // The first byte of TLS; servers without it respond like this.
        _ = send(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
        return nil
      }
      searched = max(0, unread.count - end.count)
      guard receive() else { return nil }
    }
  }

  private mutating func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      unread += buffer[..<count]
      return true
    }
  }

  // MARK: Steps out

  /// Sends a response; returns whether the connection stays open.
  private mutating func perform(_ answer: ScriptedAnswer, for request: ReceivedRequest) -> Bool {
    if let gate = answer.gate, wait(for: gate, stop: core.stopping, socket: socket) != .opened {
      return false
    }
    let isChunked = if case .chunked = answer.framing { !answer.isRaw } else { false }
    let isHead = request.method == "HEAD"
    // Head and first bytes in one piece, because a delayed acknowledgement would slow down two small pieces.
    var pending = answer.head
    path = request.path
    headLeft = pending.count
    for step in isHead ? [] : answer.steps {
      if case .send(let bytes) = step {
        pending += isChunked ? Self.chunk(bytes) : bytes
        continue
      }
      guard send(pending) else { return false }
      pending = []
      guard perform(step, isChunked: isChunked) else { return false }
    }
    if !isHead, isChunked, case .chunked(let trailers) = answer.framing {
      let lines = trailers.map { "\($0.name): \($0.value)\r\n" }.joined()
      pending += Array("0\r\n\(lines)\r\n".utf8)
    }
    guard send(pending) else { return false }
    if case .close = answer.framing { return false }
    return !answer.isRaw
  }

  private mutating func perform(_ step: ScriptedAnswer.Step, isChunked: Bool) -> Bool {
    switch step {
    case .send(let bytes):
      return send(isChunked ? Self.chunk(bytes) : bytes)
    case .wait(let gate, let limit):
      return wait(for: gate, stop: core.stopping, socket: socket, milliseconds: limit) != .peerClosed
    case .drip(let bytes, let milliseconds):
      for byte in bytes {
        let end = wait(for: nil, stop: core.stopping, socket: socket, milliseconds: milliseconds)
        guard end == .timedOut, send(isChunked ? Self.chunk([byte]) : [byte]) else { return false }
      }
      return true
    case .stream(let content, let range, let rate):
      return stream(content, range, bytesPerSecond: rate, isChunked: isChunked)
    case .endless(let bytes):
      let piece = isChunked ? Self.chunk(bytes) : bytes
      while send(piece) {}
      return false
    case .hold:
      _ = wait(for: nil, stop: core.stopping, socket: socket)
      return false
    case .close:
      return false
    case .reset:
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      return false
    }
  }

  private mutating func stream(
    _ content: FileContent, _ range: Range<Int>, bytesPerSecond rate: Int?, isChunked: Bool
  ) -> Bool {
    let began = ContinuousClock.now
    // With a rate, a piece every twentieth of a second.
    let piece = rate.map { max(1, $0 / 20) } ?? 1 << 18
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = min(offset + piece, range.upperBound)
      let bytes = content.bytes(offset..<end)
      guard send(isChunked ? Self.chunk(bytes) : bytes) else { return false }
      offset = end
      guard let rate else { continue }
      // By the clock and not by the pauses, so that a busy machine does not lower the rate.
      let ahead = .seconds(Double(offset - range.lowerBound) / Double(rate)) - (ContinuousClock.now - began)
      guard ahead > .zero else { continue }
      let milliseconds = Int32(clamping: Int(ahead / .milliseconds(1)) + 1)
      guard wait(for: nil, stop: core.stopping, socket: socket, milliseconds: milliseconds) == .timedOut
      else { return false }
    }
    return true
  }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    // An empty chunk would be the last one.
    guard !bytes.isEmpty else { return [] }
    return Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + [13, 10]
  }

  private mutating func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      let ofHead = min(headLeft, count)
      headLeft -= ofHead
      core.count(sent: count, body: count - ofHead, path)
      sent += count
    }
    return true
  }
}

/// One request that a `ScriptedServer` received, whole and in the order of the wire.
public struct ReceivedRequest: Sendable {
  /// The method, for example `GET`.
  public var method: String
  /// The request target as sent: `/path?query`, or a whole address where the server is used as a proxy.
  public var target: String
  /// The fields in order, names as sent.
  public var fields: [(name: String, value: String)]
  /// The body, by `Content-Length`.
  public var body: [UInt8] = []
  /// The number of its connection, from 1.
  public var connection = 0
  /// The server's own `http://address:port`, for responses that must name it.
  public var origin = ""

  /// The target's path without query, also of a whole address.
  public var path: String {
    var rest = target[...]
    if let scheme = rest.firstRange(of: "://") {
      rest = rest[scheme.upperBound...]
      rest = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
    }
    let path = rest.prefix { $0 != "?" }
    return path.isEmpty ? "/" : String(path)
  }

  /// The value of the first field of a name in any case; nil if it was not sent.
  public subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Reads the head of a request, without the empty line at its end; nil if it is not one.
  init?(head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    let parts = lines.first?.split(separator: " ") ?? []
    guard parts.count == 3 else { return nil }
    method = String(parts[0])
    target = String(parts[1])
    fields = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return (String(line[..<colon]), String(value))
    }
  }
}

/// A socket that could not be opened, bound or listened on.
public struct SocketProblem: Error, Hashable, Sendable {
  /// The name of the failed call.
  public var call: String
  /// Its `errno`.
  public var code: Int32
}

/// A port of this machine that refuses connections for as long as the value lives.
///
/// It is bound but does not listen. The port of a stopped server could meanwhile belong to another test.
public final class ClosedPort: Sendable {
  private let socket: Int32
  /// The port's `http://127.0.0.1:port`.
  public let origin: String

  /// Binds a free port of 127.0.0.1.
  public init() throws(SocketProblem) {
    let (socket, port) = try bound(to: "127.0.0.1", port: 0)
    self.socket = socket
    origin = "http://127.0.0.1:\(port)"
  }

  deinit { close(socket) }
}

/// Listens on a port of an address; 0 is any free port.
func listen(on address: String, port: Int) throws(SocketProblem) -> (socket: Int32, port: Int) {
  let (descriptor, port) = try bound(to: address, port: port)
  guard listen(descriptor, 1024) == 0 else {
    let code = errno
    close(descriptor)
    throw SocketProblem(call: "listen \(address)", code: code)
  }
  return (descriptor, port)
}

/// Binds a port of an address; 0 is any free port.
private func bound(to address: String, port: Int) throws(SocketProblem) -> (socket: Int32, port: Int) {
  var hints = addrinfo()
  hints.ai_flags = AI_NUMERICHOST
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  var found: UnsafeMutablePointer<addrinfo>?
  let status = getaddrinfo(address, String(port), &hints, &found)
  guard status == 0, let found else { throw SocketProblem(call: "getaddrinfo \(address)", code: status) }
  defer { freeaddrinfo(found) }
  let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { throw SocketProblem(call: "socket", code: errno) }
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
    let code = errno
    close(descriptor)
    throw SocketProblem(call: "bind \(address)", code: code)
  }
  // The port has the same offset in both kinds of address.
  var name = sockaddr_in6()
  var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
  _ = withUnsafeMutableBytes(of: &name) { bytes in
    getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
  }
  return (descriptor, Int(UInt16(bigEndian: name.sin6_port)))
}

/// A thread that runs one closure; it must be joined or detached, once.
struct WorkerThread: Sendable {
  private let id: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    var id = pthread_t()
    let code = pthread_create(
      &id, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else { fatalError("no thread: errno \(code)") }
    self.id = id
  }

  func join() { pthread_join(id, nil) }

  func detach() { pthread_detach(id) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
