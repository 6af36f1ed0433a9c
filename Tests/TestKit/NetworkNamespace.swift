// Networks of a test's own, with a name server.

import CNetworks
import Glibc
import Synchronization

/// A network that exists as long as the value, and the sockets and programs in it.
public final class NetworkNamespace: Sendable {
  private let descriptor: Int32

  /// A network with a loopback interface and nothing else.
  ///
  /// - Throws: `SocketProblem` if this process is not root, or ip(8) is missing.
  public init() throws(SocketProblem) {
    let made = onThread { () -> (descriptor: Int32, code: Int32) in
      let descriptor = bgfetch_new_network()
      return (descriptor, errno)
    }
    guard made.descriptor >= 0 else { throw SocketProblem(call: "unshare", code: made.code) }
    descriptor = made.descriptor
    try ip("link", "set", "lo", "up")
  }

  deinit { close(descriptor) }

  /// Connects this network with another one by a cable, with these addresses and prefix lengths at its two ends.
  public func connect(_ own: [String], to other: NetworkNamespace, _ others: [String]) throws(SocketProblem) {
    try ip(
      "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns",
      "/proc/\(getpid())/fd/\(other.descriptor)")
    for (network, addresses) in [(self, own), (other, others)] {
      for address in addresses { try network.add(address, to: "cable") }
      try network.ip("link", "set", "cable", "up")
    }
  }

  /// Gives an interface an address with its prefix length.
  public func add(_ address: String, to interface: String) throws(SocketProblem) {
    // Without `nodad` an IPv6 address cannot be used for a second.
    try ip(["address", "add", address, "dev", interface] + (address.contains(":") ? ["nodad"] : []))
  }

  /// Runs ip(8) in this network.
  public func ip(_ arguments: String...) throws(SocketProblem) { try ip(arguments) }

  private func ip(_ arguments: [String]) throws(SocketProblem) {
    let status = try inside { () throws(SocketProblem) -> Int32 in
      do throws(ChildProgram.NotStarted) {
        return try ChildProgram(
          "/bin/sh", ["-c", "exec ip \"$@\"", "ip"] + arguments,
          environment: ["PATH": "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"], directory: "/"
        ).wait()
      } catch {
        throw SocketProblem(call: "ip", code: error.code)
      }
    }
    guard status == 0 else {
      throw SocketProblem(call: "ip " + arguments.joined(separator: " "), code: status)
    }
  }

  /// Runs a closure on a thread in this network; the sockets that it opens, and the threads and programs that it starts,
  /// belong to it.
  public func inside<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try onThread { [descriptor] () -> Result<Value, Failure> in
      // Cannot fail, because the descriptor belongs to a network, and the caller was allowed to make it.
      precondition(bgfetch_enter_network(descriptor) == 0, "setns: errno \(errno)")
      do throws(Failure) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }.get()
  }
}

/// Runs a closure on a thread of its own, and waits for it.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
  let box = Box<Value>()
  WorkerThread { box.value.withLock { $0 = body() } }.join()
  guard let value = box.value.withLock({ $0 }) else { fatalError("the thread ended without a value") }
  return value
}

private final class Box<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}

/// A name server at 127.0.0.1 of a network of a test's own; it stops with the value.
///
/// A name that was not set does not exist.
public final class NameServer: Sendable {
  private let core: Core

  /// Starts it in a network.
  public init(in network: NetworkNamespace) throws(SocketProblem) {
    core = try network.inside { () throws(SocketProblem) -> Core in try Core() }
  }

  deinit { core.stop() }

  /// Resolves a name to these addresses from now on.
  public subscript(name: String) -> [String] {
    get { core.names.withLock { $0[name]?.turns.first ?? [] } }
    set { set(name, inTurn: newValue) }
  }

  /// Resolves a name to one list of addresses after the other, for each question, and the last one repeats.
  public func set(_ name: String, inTurn turns: [String]...) {
    core.names.withLock { $0[name] = Name(turns: turns) }
  }

  /// The number of queries for the IPv4 addresses of a name.
  public func questions(_ name: String) -> Int { core.names.withLock { $0[name]?.asked[1] ?? 0 } }
}

/// The addresses of a name, and how often each kind of address was asked for.
private struct Name: Sendable {
  var turns: [[String]]
  var asked: [UInt16: Int] = [:]

  mutating func next(_ kind: UInt16) -> [String] {
    let turn = asked[kind, default: 0]
    asked[kind] = turn + 1
    return turns.isEmpty ? [] : turns[min(turn, turns.count - 1)]
  }
}

private final class Core: Sendable {
  let names = Mutex<[String: Name]>([:])
  private let socket: Int32
  private let thread = Mutex<WorkerThread?>(nil)

  init() throws(SocketProblem) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw SocketProblem(call: "socket", code: errno) }
    var name = sockaddr_in()
    (name.sin_family, name.sin_port) = (sa_family_t(AF_INET), UInt16(53).bigEndian)
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    let bound = withUnsafeBytes(of: &name) { bytes in
      bind(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard bound == 0 else {
      let code = errno
      close(socket)
      throw SocketProblem(call: "bind 127.0.0.1 port 53", code: code)
    }
    let server = WorkerThread { self.serve() }
    thread.withLock { $0 = server }
  }

  /// Ends the thread: after a shutdown there is nothing to receive.
  func stop() {
    shutdown(socket, Int32(SHUT_RDWR))
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
    close(socket)
  }

  private func serve() {
    var buffer = [UInt8](repeating: 0, count: 1500)
    while true {
      var sender = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutableBytes(of: &sender) { bytes in
        recvfrom(
          socket, &buffer, buffer.count, 0, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      guard let answer = answer(to: Array(buffer[..<count])) else { continue }
      _ = withUnsafeBytes(of: &sender) { bytes in
        sendto(
          socket, answer, answer.count, 0, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
      }
    }
  }

  /// The response to a query with one question; nil for anything else.
  private func answer(to query: [UInt8]) -> [UInt8]? {
    guard query.count > 12 else { return nil }
    var labels: [String] = []
    var index = 12
    while index < query.count, query[index] > 0 {
      let end = index + 1 + Int(query[index])
      guard end < query.count else { return nil }
      labels.append(String(decoding: query[(index + 1)..<end], as: UTF8.self).lowercased())
      index = end
    }
    guard index + 5 <= query.count else { return nil }
    let kind = UInt16(query[index + 1]) << 8 | UInt16(query[index + 2])
    let question = query[12..<(index + 5)]
    let addresses = names.withLock { $0[labels.joined(separator: ".")]?.next(kind) }
    let records = (addresses ?? []).compactMap { bytes(of: $0, kind) }
    // A response with recursion available, or that there is no such name.
    var answer =
      Array(query[..<2]) + [0x81, addresses == nil ? 0x83 : 0x80, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
    answer += question
    for record in records {
      answer +=
        [0xC0, 12, UInt8(kind >> 8), UInt8(kind & 0xFF), 0, 1, 0, 0, 0, 0, 0, UInt8(record.count)] + record
    }
    return answer
  }

  /// The bytes of an address in a record of type A (1) or AAAA (28); nil if the address is of the other kind.
  private func bytes(of address: String, _ kind: UInt16) -> [UInt8]? {
    let isSix = address.contains(":")
    guard kind == (isSix ? 28 : 1) else { return nil }
    var bytes = [UInt8](repeating: 0, count: isSix ? 16 : 4)
    return inet_pton(isSix ? AF_INET6 : AF_INET, address, &bytes) == 1 ? bytes : nil
  }
}
