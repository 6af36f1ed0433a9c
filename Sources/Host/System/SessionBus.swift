// Whether the user is logged in with a D-Bus session, which desktop notifications need and cron does not know
// of.

import Core
import Glibc

/// The session bus of the user, found though the environment may not name it.
public struct SessionBus: Hashable, Sendable {
  /// The variables that a program needs to reach the bus, where they are missing or lead nowhere.
  public let additions: [String: String]
  /// A text that is the same as long as this session lasts, for example to tell whether a notification's
  /// number is still that notification's.
  public let login: String

  /// The bus of the user of this process; nil while there is none.
  public static func find(environment: [String: String]) -> SessionBus? {
    find(environment: environment, user: geteuid(), runtimeDirectories: "/run/user")
  }

  /// The bus of a user whose runtime directory lies in another place.
  static func find(environment: [String: String], user: UInt32, runtimeDirectories: String) -> SessionBus? {
    let usual = runtimeDirectories + "/\(user)"
    let named = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    var additions: [String: String] = [:]
    if named == nil, isDirectory(usual, of: user) { additions["XDG_RUNTIME_DIR"] = usual }

    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
      guard let path = socketPath(inAddress: address) else {
        // An abstract or remote address; only connecting could tell more.
        return SessionBus(additions: additions, login: bootIdentifier() + " " + address)
      }
      if let socket = socket(path, of: user) { return SessionBus(additions: additions, login: socket) }
      // It outlived its session, in tmux for example; the user may have logged in anew.
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

  /// What tells one socket from every later one at the same path; nil if there is none of the user's.
  private static func socket(_ path: String, of user: UInt32) -> String? {
    // Whatever keeps us from looking keeps a hook from connecting.
    guard let status = try? FileStatus(path, following: true), status.kind == .socket, status.owner == user
    else {
      return nil
    }
    let bound = status.modified
    return "\(bootIdentifier()) \(status.device):\(status.inode) \(bound.seconds).\(bound.nanoseconds)"
  }

  private static func isDirectory(_ path: String, of user: UInt32) -> Bool {
    guard let status = try? FileStatus(path, following: true) else { return false }
    return status.kind == .directory && status.owner == user
  }

  /// A text of this boot, since sockets and their numbers come again after the next.
  ///
  /// Empty where there is no /proc: one thing less to tell by.
  private static func bootIdentifier() -> String {
    let bytes = (try? readFile("/proc/sys/kernel/random/boot_id", limit: ByteCount(256))) ?? []
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}

/// The socket of a D-Bus address of the form `unix:path=…` (D-Bus Specification, "Server Addresses"); nil for
/// any other.
func socketPath(inAddress address: String) -> String? {
  // Several addresses may be given; the first is tried first.
  guard let first = address.split(separator: ";").first, first.hasPrefix("unix:") else { return nil }
  for pair in first.dropFirst("unix:".count).split(separator: ",") where pair.hasPrefix("path=") {
    var bytes: [UInt8] = []
    var rest = Array(pair.dropFirst("path=".count).utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
  return nil
}
