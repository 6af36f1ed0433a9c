// A socket as a service manager has one, sd_notify(3).

internal import Glibc
internal import Synchronization

/// Hears what a service tells its manager.
public final class NotifySocket: Sendable {
  /// Where it listens.
  public let path: String
  private let descriptor: Int32
  private let lines = Mutex<[String]>([])

  /// Listens at a path.
  public init(_ path: String) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
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
