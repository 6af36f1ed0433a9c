// The surroundings of the process: the service manager (systemd) and the user's D-Bus session.

internal import CLate
import Core
import Glibc

/// The service manager that started this process, such as systemd, by the protocol of sd_notify(3).
public struct ServiceManager: Hashable, Sendable {
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

  public enum Notice: Hashable, Sendable {
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
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now().nanoseconds / 1000)"
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
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
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

/// The user's D-Bus session, which desktop notifications need.
///
/// Under cron the environment does not name it, so its usual places are tried.
public struct SessionBus: Hashable, Sendable {
  /// The variables that a program needs to reach the bus and that the environment lacks.
  public let additions: [String: String]
  /// A text that identifies this session, for example to know whether a notification's number is still valid.
  public let login: String

  /// The bus of this process's user; nil if there is none.
  public static func find(environment: [String: String]) -> SessionBus? {
    find(environment: environment, user: geteuid(), runtimeDirectories: "/run/user")
  }

  static func find(environment: [String: String], user: UInt32, runtimeDirectories: String) -> SessionBus? {
    let usual = runtimeDirectories + "/\(user)"
    let named = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    var additions: [String: String] = [:]
    if named == nil, isDirectory(usual, of: user) { additions["XDG_RUNTIME_DIR"] = usual }

    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
      guard let path = socketPath(inAddress: address) else {
        // An abstract or remote address: only connecting would show whether it works.
        return SessionBus(additions: additions, login: bootIdentifier() + " " + address)
      }
      if let socket = socket(path, of: user) { return SessionBus(additions: additions, login: socket) }
      // The variable outlived its session, for example in tmux; the user may have logged in again.
    }
    for directory in [named, usual].compactMap({ $0 }) {
      let path = directory + "/bus"
      guard let socket = socket(path, of: user) else { continue }
      additions["XDG_RUNTIME_DIR"] = named == directory ? nil : directory
      additions["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + path
      return SessionBus(additions: additions, login: socket)
    }
    return nil
  }

  /// A text that identifies one socket among later ones at the same path; nil if it is not a socket of the user.
  private static func socket(_ path: String, of user: UInt32) -> String? {
    guard let status = try? FileStatus(path, following: true), status.kind == .socket, status.owner == user
    else {
      return nil
    }
    let bound = status.modified
    return "\(bootIdentifier()) \(status.identity.device):\(status.identity.inode) "
      + "\(bound.seconds).\(bound.nanoseconds)"
  }

  private static func isDirectory(_ path: String, of user: UInt32) -> Bool {
    guard let status = try? FileStatus(path, following: true) else { return false }
    return status.kind == .directory && status.owner == user
  }

  /// The identifier of this boot, because inode numbers repeat after the next; empty without /proc.
  private static func bootIdentifier() -> String {
    firstLine("/proc/sys/kernel/random/boot_id") ?? ""
  }
}

/// The socket of a D-Bus address of the form `unix:path=…` (D-Bus Specification, "Server Addresses"), or nil.
func socketPath(inAddress address: String) -> String? {
  // Clients try the first of several addresses first.
  guard let first = address.split(separator: ";").first, first.hasPrefix("unix:") else { return nil }
  let pair = first.dropFirst("unix:".count).split(separator: ",").first { $0.hasPrefix("path=") }
  // No socket has the empty path, as none has one that cannot be decoded.
  return pair.map { FileAddress.decoded(String($0.dropFirst("path=".count))) ?? "" }
}

/// Popups of the notification daemon of the session.
public enum Popup {
  /// Whether a notification daemon answers on the session bus of this process.
  public static var canBeShown: Bool { bgfetch_popup_is_possible() }

  /// Shows a popup and waits until it is clicked, at most an hour; once in a process.
  ///
  /// - Parameters:
  ///   - markup: the text in the markup of the specification of desktop notifications, for daemons that read it.
  ///   - sound: the name of a sound, such as `message-new-instant`; empty for none.
  ///   - urgency: 0 is low, 1 normal and 2 critical.
  ///   - replaced: the identity of the popup that it replaces, or empty; one of a daemon that has ended replaces nothing.
  ///   - opens: whether a click on it is waited for.
  ///   - isShown: called with the identity of the popup, one line, before the wait.
  /// - Returns: false if it is closed or replaced instead.
  public static func show(
    title: String, text: String, markup: String, sound: String, urgency: UInt32, replaced: String,
    opens: Bool, isShown: (String) -> Void
  ) throws(PopupFailure) -> Bool {
    var identity: UnsafePointer<CChar>?
    if let problem = bgfetch_popup_show(title, text, markup, sound, urgency, replaced, opens, &identity) {
      throw PopupFailure(reason: String(cString: problem))
    }
    isShown(identity.map { String(cString: $0) } ?? "")
    return bgfetch_popup_wait_for_click(3600)
  }
}

/// Why a popup is not shown, in words.
public struct PopupFailure: Error {
  public var reason: String
}
