// Facts about this machine, its user and this process.

import CLinux
public import Core
import Glibc

public enum Machine {
  /// A text that identifies this machine and stays the same: machine-id(5), or else the host name.
  ///
  /// It spreads the fetches of many machines over time, and must not be sent to anyone.
  public static func identity() -> String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      // Many containers have neither.
      guard let line = firstLine(path) else { continue }
      if !line.isEmpty, line != "uninitialized" { return line }
    }
    // On failure it is empty, and all such machines share their jitter.
    return name
  }

  /// The name of this machine (gethostname(2)); empty if there is none.
  public static var name: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(upToNUL: name)
  }

  /// The operating system (os-release(5)), kernel and architecture: "Debian GNU/Linux 12 (bookworm), Linux 6.1.0, x86_64".
  public static var operatingSystem: String {
    let release = (try? readFile("/etc/os-release", limit: ByteCount(100_000))) ?? []
    let lines = String(decoding: release, as: UTF8.self).split(separator: "\n")
    let name = lines.first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst(12).filter { $0 != "\"" }
    let kernel = firstLine("/proc/sys/kernel/osrelease") ?? ""
    #if arch(x86_64)
    let architecture = "x86_64"
    #else
    let architecture = "arm64"
    #endif
    return cleanText("\(name ?? "unknown"), Linux \(kernel), \(architecture)", limit: 200)
  }

  /// As process 1, which a container without an init makes of its program: does the work in a child, and reaps what other
  /// processes leave behind until it ends.
  ///
  /// To be called first, before there are threads.
  public static func adoptOrphans() { bgfetch_adopt_orphans() }

  /// The arguments of this process, its name first; bytes that are not UTF-8 become U+FFFD.
  ///
  /// `CommandLine.arguments` is empty without `/proc`.
  public static var arguments: [String] {
    var arguments: [String] = []
    var next = bgfetch_arguments()
    while let word = next?.pointee {
      arguments.append(String(cString: word))
      next = next?.successor()
    }
    return arguments
  }

  public static var processIdentifier: Int32 { getpid() }

  /// The absolute path of the running program, also if the file was replaced; only its name without `/proc` (proc(5)).
  public static var programPath: String {
    guard let bytes = try? readLink("/proc/self/exe") else { return "bgfetch" }
    let mark = Array(" (deleted)".utf8)
    return String(
      decoding: bytes.suffix(mark.count) == mark[...] ? bytes.dropLast(mark.count) : bytes[...], as: UTF8.self
    )
  }

  /// The working directory.
  ///
  /// If it has no path, because it was removed or may not be seen, this is its name in proc(5), so that nothing is
  /// written to another place.
  public static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/proc/self/cwd" }
    defer { free(path) }
    return String(cString: path)
  }

  /// `$HOME` if it is an absolute path, or else the home directory of the password database; nil without any.
  public static func homeDirectory(environment: [String: String]) -> String? {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    return homeDirectory(ofUser: geteuid()).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The home directory of a user in the password database; nil if the user has no entry, as in many containers.
  static func homeDirectory(ofUser user: UInt32) -> String? {
    var buffer = [CChar](repeating: 0, count: 16_384)
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // The entry's strings are in the buffer, so the text is copied while it exists.
    return buffer.withUnsafeMutableBufferPointer { space in
      guard let start = space.baseAddress,
        getpwuid_r(user, &entry, start, space.count, &found) == 0, found != nil
      else { return nil }
      return entry.pw_dir.map { String(cString: $0) }
    }
  }

  /// Every address of this machine; none if the system does not say.
  public static func addresses() -> [NetworkAddress] {
    (interfaceAddresses() ?? []).compactMap { NetworkAddress(bytes: $0.bytes) }
  }

  /// Whether the network interfaces have an address that leads beyond this machine.
  ///
  /// True if the system does not say: a request will show.
  public static func hasUsableRoute() -> Bool {
    interfaceAddresses()?.contains(where: \.isUsable) ?? true
  }
}

/// The first line of a small file, repaired if it is not UTF-8; nil if the file cannot be read.
func firstLine(_ path: String) -> String? {
  guard let bytes = try? readFile(path, limit: ByteCount(256)) else { return nil }
  return String(decoding: bytes.prefix { $0 != "\n" }, as: UTF8.self)
}

// MARK: This process

public enum ProcessEnvironment {
  /// The environment variables of this process; if one is set twice, the first value counts, as with getenv(3).
  ///
  /// Bytes that are not UTF-8 become U+FFFD. Reading while a thread calls setenv(3) would be a race; nothing here calls
  /// it.
  public static func current() -> [String: String] {
    var variables: [String: String] = [:]
    var next = bgfetch_environment()
    while let pointer = next, let entry = pointer.pointee {
      let text = String(cString: entry)
      if let sign = text.firstIndex(of: "=") {
        let name = String(text[..<sign])
        if variables[name] == nil { variables[name] = String(text[text.index(after: sign)...]) }
      }
      next = pointer.advanced(by: 1)
    }
    return variables
  }
}

/// The files and connections that a run may have open (getrlimit(2)).
public enum OpenFiles {
  /// The most that a run opens beside its connections.
  private static let base: rlim_t = 48
  /// The most that a connection needs: its socket, the three of the resolver, and the file of a download with its directory.
  private static let perConnection: rlim_t = 6

  /// Makes room for a run: raises a low soft limit as far as the hard limit allows.
  ///
  /// - Throws: `EMFILE` if fewer than 48 files can still be opened. A run that starts with fewer would fail halfway.
  public static func makeRoom() throws(SystemError) {
    let limit = try raise(to: 1024)
    guard try firstFree() + base <= limit else { throw SystemError(code: EMFILE) }
  }

  /// The number of connections, at least one, for which there is room, and the limit.
  public static func room(forConnections wanted: Int) throws(SystemError) -> (connections: Int, limit: Int) {
    let used = try firstFree() + base
    let limit = try raise(to: used + rlim_t(max(1, wanted)) * perConnection)
    let room = limit > used ? (limit - used) / perConnection : 0
    return (min(wanted, max(1, Int(clamping: room))), Int(clamping: limit))
  }

  /// The number of idle connections that a run may keep beside others, at most as many as browsers keep.
  public static func room(forIdleBeside connections: Int) throws(SystemError) -> Int {
    let used = try firstFree() + base + rlim_t(connections) * perConnection
    return min(256, max(0, Int(clamping: try raise(to: 0)) - Int(clamping: used)))
  }

  /// Raises the soft limit if it is below a number; returns it.
  private static func raise(to wanted: rlim_t) throws(SystemError) -> rlim_t {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    try systemCall { getrlimit(files, &limit) }
    let wanted = min(wanted, limit.rlim_max)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = wanted
      try systemCall { setrlimit(files, &limit) }
    }
    return limit.rlim_cur
  }

  /// The lowest free number, which open(2) returns: nearly all below it are in use.
  private static func firstFree() throws(SystemError) -> rlim_t {
    try Descriptor.open("/dev/null", O_RDONLY).borrow { rlim_t($0) }
  }
}

// MARK: Network interfaces

/// One address of one network interface (getifaddrs(3)).
struct InterfaceAddress: Sendable {
  /// Whether the interface is switched on and has a carrier.
  let isRunning: Bool
  let isLoopback: Bool
  /// The 4 or 16 bytes in network order.
  let bytes: [UInt8]

  /// Whether packets to other machines can leave by it.
  ///
  /// A link-local address alone means that no router was found.
  var isUsable: Bool {
    isRunning && !isLoopback && !isLinkLocal
  }

  private var isLinkLocal: Bool {
    switch bytes.count {
    case 4: bytes[0] == 169 && bytes[1] == 254
    case 16: bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    default: true
    }
  }
}

/// Every IPv4 and IPv6 address of this machine; nil if the system does not say.
func interfaceAddresses() -> [InterfaceAddress]? {
  var first: UnsafeMutablePointer<ifaddrs>?
  guard getifaddrs(&first) == 0 else { return nil }
  defer { freeifaddrs(first) }
  var addresses: [InterfaceAddress] = []
  var next = first
  while let entry = next?.pointee {
    next = entry.ifa_next
    guard let address = entry.ifa_addr, let bytes = addressBytes(address) else { continue }
    let flags = Int(entry.ifa_flags)
    func has(_ flag: Int) -> Bool { flags & flag != 0 }
    addresses.append(
      InterfaceAddress(
        isRunning: has(IFF_UP) && has(IFF_RUNNING),
        isLoopback: has(IFF_LOOPBACK), bytes: bytes))
  }
  return addresses
}

/// The address bytes of a socket address; nil for families other than IPv4 and IPv6.
func addressBytes(_ address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
  let raw = UnsafeRawPointer(address)
  // The family says how long the structure behind the pointer is.
  switch Int32(address.pointee.sa_family) {
  case AF_INET:
    return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
  case AF_INET6:
    return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
  default:
    return nil
  }
}
