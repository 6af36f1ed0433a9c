// The user's D-Bus session, which desktop notifications need.

import Core
import Glibc

/// The user's D-Bus session, which desktop notifications need.
///
/// Under cron the environment does not name it, so its usual places are tried.
public struct SessionBus: Equatable, Sendable {
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
