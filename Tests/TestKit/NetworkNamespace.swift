// A network of a test's own: interfaces, addresses and ports that no other process sees (network_namespaces(7)).

internal import CNetworks
internal import Glibc
internal import Synchronization

/// A network that lasts as long as the value, and as what was opened and started in it.
public final class NetworkNamespace: Sendable {
  private let descriptor: Int32

  /// A network with a loopback interface and nothing else.
  ///
  /// - Throws: `SocketProblem` where this process may not make one, which only root may, or ip(8) is missing.
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
    // Without `nodad` an IPv6 address is of no use for a second.
    try ip(
      ["address", "add", address, "dev", interface] + (address.contains(":") ? ["nodad"] : []))
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
      // Cannot fail: the descriptor is a network's, and the caller was allowed to make it.
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
