// A socket on a free port, listening or not, and a thread to sit on it.

internal import Glibc

/// A socket that could not be opened, bound or listened on.
public struct SocketProblem: Error, Hashable, Sendable {
  /// Which call failed.
  public var call: String
  /// Its `errno`.
  public var code: Int32
}

/// A port of this machine that refuses connections for as long as the value lives.
///
/// It is bound and not listened on: the port of a server that stopped could be another test's by now.
public final class ClosedPort: Sendable {
  private let socket: Int32
  /// The port's `http://127.0.0.1:port`.
  public let origin: String

  /// Takes a free port of 127.0.0.1.
  public init() throws(SocketProblem) {
    let (socket, port) = try bound(to: "127.0.0.1", port: 0)
    self.socket = socket
    origin = "http://127.0.0.1:\(port)"
  }

  deinit { close(socket) }
}

/// Listens on a port of an address; 0 is any that is free.
func listen(on address: String, port: Int) throws(SocketProblem) -> (socket: Int32, port: Int) {
  let (descriptor, port) = try bound(to: address, port: port)
  guard listen(descriptor, 1024) == 0 else {
    let code = errno
    close(descriptor)
    throw SocketProblem(call: "listen \(address)", code: code)
  }
  return (descriptor, port)
}

/// Takes a port of an address; 0 is any that is free.
private func bound(to address: String, port: Int) throws(SocketProblem) -> (socket: Int32, port: Int) {
  let isSix = address.contains(":")
  let descriptor = socket(isSix ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { throw SocketProblem(call: "socket", code: errno) }
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  let bound =
    if isSix {
      bindSix(descriptor, address, UInt16(port))
    } else {
      bindFour(descriptor, address, UInt16(port))
    }
  guard bound == 0 else {
    let code = errno
    close(descriptor)
    throw SocketProblem(call: "bind \(address)", code: code)
  }
  // The port stands at the same place in both kinds of address.
  var name = sockaddr_in6()
  var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
  _ = withUnsafeMutableBytes(of: &name) { bytes in
    getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
  }
  return (descriptor, Int(UInt16(bigEndian: name.sin6_port)))
}

private func bindFour(_ descriptor: Int32, _ address: String, _ port: UInt16) -> Int32 {
  var name = sockaddr_in()
  name.sin_family = sa_family_t(AF_INET)
  name.sin_port = port.bigEndian
  guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else { return -1 }
  return withUnsafeBytes(of: &name) { bytes in
    bind(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
  }
}

private func bindSix(_ descriptor: Int32, _ address: String, _ port: UInt16) -> Int32 {
  var name = sockaddr_in6()
  name.sin6_family = sa_family_t(AF_INET6)
  name.sin6_port = port.bigEndian
  guard inet_pton(AF_INET6, address, &name.sin6_addr) == 1 else { return -1 }
  return withUnsafeBytes(of: &name) { bytes in
    bind(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
  }
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
