// Finds zone files and the system's own zone. Core reads their content.

public import Core
import Glibc

public struct SystemZone: Sendable {
  private let environment: [String: String]
  private let directories: [String]
  private let localtime: String

  /// Zones are looked up in `$TZDIR` and the system's directories; `$TZ` sets the system's zone (tzset(3)).
  public init(environment: [String: String], localtime: String = "/etc/localtime") {
    self.environment = environment
    let own = environment["TZDIR"].map { [$0] } ?? []
    directories = own.filter { $0.hasPrefix("/") } + ["/usr/share/zoneinfo", "/usr/lib/zoneinfo"]
    self.localtime = localtime
  }

  /// The zone of a name; nil means the system's zone.
  ///
  /// An unknown name is an error, while the C library would silently use UTC. Only a system without any setting is in UTC.
  /// `UTC` itself needs no file.
  public func zone(named name: String?) throws(ZoneFailure) -> Zone {
    guard let name else { return try systemZone() }
    if let zone = try namedZone(name) { return zone }
    throw .unknown(name)
  }

  public func isZone(_ name: String) -> Bool {
    (try? zone(named: name)) != nil
  }

  /// The files, existing or not, on which a zone depends; nil means the system's zone.
  public func files(named name: String?) -> [String] {
    guard let name = name ?? systemName else { return [localtime] }
    if name.hasPrefix("/") { return [name] }
    return isZoneName(name) ? directories.map { $0 + "/" + name } : []
  }

  /// The zone in `$TZ`; nil if it is not set.
  private var systemName: String? {
    environment["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
  }

  private func systemZone() throws(ZoneFailure) -> Zone {
    guard let setting = environment["TZ"], let text = systemName else { return try localZone() }
    // Set and empty is Universal Time, tzset(3).
    if text.isEmpty { return .utc }
    if text.hasPrefix("/") {
      guard let bytes = try contents(text) else { throw .unknown(setting) }
      return try zone(text, bytes, from: text)
    }
    if let zone = try namedZone(text) ?? Zone(name: text, posix: text) { return zone }
    throw .unknown(setting)
  }

  private func localZone() throws(ZoneFailure) -> Zone {
    guard let bytes = try contents(localtime) else { return .utc }
    return try zone("localtime", bytes, from: localtime)
  }

  /// The zone of a name; nil if no directory has a file for it.
  private func namedZone(_ name: String) throws(ZoneFailure) -> Zone? {
    guard isZoneName(name) else { return nil }
    for directory in directories {
      let path = directory + "/" + name
      if let bytes = try contents(path) { return try zone(name, bytes, from: path) }
    }
    return name == "UTC" ? .utc : nil
  }

  private func zone(_ name: String, _ bytes: [UInt8], from path: String) throws(ZoneFailure) -> Zone {
    guard let zone = Zone(name: name, zoneFile: bytes) else { throw .unreadable(path: path) }
    return zone
  }

  /// The bytes of a zone file; nil if there is none, or only a directory (`Europe`).
  private func contents(_ path: String) throws(ZoneFailure) -> [UInt8]? {
    do throws(FileFailure) {
      return try readFile(path, limit: ByteCount(1 << 20))
    } catch {
      switch error.problem {
      case .missing, .isDirectory, .notDirectory, .nameTooLong: return nil
      default: throw .file(error)
      }
    }
  }
}

/// Why a zone cannot be read.
public enum ZoneFailure: Error, Equatable, Sendable {
  /// No zone has this name, nor is it a POSIX rule where one is allowed.
  case unknown(String)
  case file(FileFailure)
  /// The file is not a zone file.
  case unreadable(path: String)
}

/// Whether a name stays below a directory of zones: parts of letters, digits, `_`, `-`, `+` and dots, and no part begins
/// with a dot.
private func isZoneName(_ name: String) -> Bool {
  name.utf8.count <= 255
    && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && !part.hasPrefix(".")
        && part.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_-+.".utf8.contains($0) }
    }
}
