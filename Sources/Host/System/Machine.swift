// Facts about the machine and the user that a run needs to know.

public import Core
import Glibc

/// The machine and the process's user.
public enum Machine {
  /// A text that tells this machine from others and stays the same: machine-id(5), else the host's name.
  ///
  /// For spreading machines over time; it is not to leave the machine as it is.
  public static func identity() -> String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      // Many containers have neither.
      guard let bytes = try? readFile(path, limit: ByteCount(256)) else { continue }
      let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      if !line.isEmpty, line != "uninitialized" { return line }
    }
    var name = [CChar](repeating: 0, count: 256)
    // On failure it stays empty, and all such machines share their jitter.
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The number of this process.
  public static var processIdentifier: Int32 { getpid() }

  /// The absolute path of the running program; nil where `/proc` is not there (proc(5)).
  public static var programPath: String? {
    guard let bytes = try? readLink("/proc/self/exe") else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `$HOME` if it is an absolute path, else the password database's; nil if there is neither.
  public static func homeDirectory(environment: [String: String]) -> String? {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    return Account(user: geteuid())?.home
  }

  /// Every address of this machine; none if the system does not tell.
  public static func addresses() -> [NetworkAddress] {
    (interfaceAddresses() ?? []).compactMap { NetworkAddress(bytes: $0.bytes) }
  }

  /// Whether a network beyond this machine can be reached, as far as the interfaces tell.
  ///
  /// No answer of the system's counts as yes: then trying tells.
  public static func hasUsableRoute() -> Bool {
    guard let addresses = interfaceAddresses() else { return true }
    return addresses.contains(where: \.isUsable)
  }
}
