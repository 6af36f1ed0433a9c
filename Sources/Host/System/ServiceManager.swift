// What a service tells the manager that started it: sd_notify(3)'s protocol, without its library.

import Glibc

/// The manager of this service, as systemd and others like it introduce themselves.
public struct ServiceManager: Hashable, Sendable {
  /// Where it listens; nil where nobody does.
  private let socket: String?
  /// How often it wants to hear that the service is alive, at the latest; nil where it does not watch.
  private let patience: Duration?

  /// The variables by which a manager speaks to its service alone; children must not see them (sd_notify(3)).
  public static let variables: Set<String> = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"]

  /// The manager that the environment names, or none.
  public init(environment: [String: String]) {
    self.init(environment: environment, process: getpid())
  }

  init(environment: [String: String], process: Int32) {
    let address = environment["NOTIFY_SOCKET"] ?? ""
    // A path or, with an @ in the place of its NUL, an abstract name (unix(7)). Virtual machines' sockets are left out.
    let isAddress = address.utf8.count > 1 && address.utf8.count <= Self.longestAddress
    socket = isAddress && (address.hasPrefix("/") || address.hasPrefix("@")) ? address : nil
    let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
    if isOurs, let time = environment["WATCHDOG_USEC"].flatMap(Int64.init), time > 0 {
      patience = .microseconds(time)
    } else {
      patience = nil
    }
  }

  private static let longestAddress = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// How often the service is to say that it is alive: half of the time that the manager waits (sd_watchdog_enabled(3));
  /// nil where nobody wants to hear it.
  public var pulse: Duration? { socket == nil ? nil : patience.map { $0 / 2 } }

  /// What a service can say.
  public enum Notice: Hashable, Sendable {
    /// It has begun, or has read its configuration again.
    case ready
    /// It reads its configuration again.
    case reloading
    /// It ends.
    case stopping
    /// It is alive.
    case alive
    /// What it is doing, for `systemctl status`.
    case status(String)

    /// The line of the protocol; one line each, whatever a status says.
    var line: String {
      switch self {
      case .ready: "READY=1"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())"
      case .stopping: "STOPPING=1"
      case .alive: "WATCHDOG=1"
      case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
      }
    }
  }

  /// Tells it.
  ///
  /// Where there is none, or it does not listen, nothing happens: a service is not to end for that. One that listens and
  /// does not read is waited for half a second.
  public func tell(_ notices: Notice...) {
    guard let socket else { return }
    let text = Array(notices.map(\.line).joined(separator: "\n").utf8)
    guard let number = try? systemCall({ Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0) })
    else { return }
    let descriptor = Descriptor(owning: number)
    var patience = timeval(tv_sec: 0, tv_usec: 500_000)
    descriptor.borrow {
      _ = setsockopt($0, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(socket.utf8)
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // An abstract name ends where the address does; a path may.
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = try? descriptor.call {
          sendto($0, text, text.count, Int32(MSG_NOSIGNAL), pointer, socklen_t(length))
        }
      }
    }
  }
}

/// The clock that a manager compares its own with (sd_notify(3), `MONOTONIC_USEC`).
private func monotonicMicroseconds() -> Int64 {
  var now = timespec()
  // Cannot fail, as in WallClock.
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
}
