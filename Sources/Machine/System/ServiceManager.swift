// The service manager that started the process (systemd).

import Core
import Glibc

/// The service manager that started this process, such as systemd, by the protocol of sd_notify(3).
public struct ServiceManager: Sendable {
  /// The socket on which it listens; nil without a manager.
  private let socket: String?
  /// The time within which it expects the next sign of life; nil without a watchdog.
  private let patience: Duration?

  /// The variables for this process alone; children must not see them (sd_notify(3)).
  public static let variables: Set<String> = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"]

  public init(environment: [String: String]) {
    self.init(environment: environment, process: getpid())
  }

  init(environment: [String: String], process: Int32) {
    let address = environment["NOTIFY_SOCKET"] ?? ""
    // A path or, with @ instead of the NUL byte, an abstract name (unix(7)). Sockets of virtual machines are ignored.
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

  /// The interval of signs of life: half of the time that the manager waits (sd_watchdog_enabled(3)); nil without a
  /// watchdog.
  public var pulse: Duration? { socket == nil ? nil : patience.map { $0 / 2 } }

  public enum Notice: Sendable {
    case ready
    case reloading
    case stopping
    case alive
    /// A text for `systemctl status`.
    case status(String)

    /// The line of the protocol.
    var line: String {
      switch self {
      case .ready: "READY=1"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(WallClock.monotonicMicroseconds())"
      case .stopping: "STOPPING=1"
      case .alive: "WATCHDOG=1"
      case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
      }
    }
  }

  /// Sends notices to the manager.
  ///
  /// Errors are ignored: a service must not end because of them. A manager that does not read is waited for half a second.
  public func notify(_ notices: Notice...) {
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
    if name.first == "@" { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // An abstract name ends with the address.
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
