// The files that a configuration includes. The caller reads them, and decides whether they can be trusted.

public import Core

/// The functions by which `include` finds and reads further files.
public struct ConfigurationFiles: Sendable {
  /// The files that match an absolute pattern of `*`, `?` and `[…]`, in the order of their bytes, or the
  /// reason why that is unknown; no files is a normal result.
  public var matching: @Sendable (_ pattern: String) -> Result<[String], ConfigurationFileRefusal>
  /// A text that is the same for every path to one file; nil if there is no file.
  public var identity: @Sendable (_ path: String) -> String?
  /// A file of at most a number of bytes, or the reason not to use it.
  public var read:
    @Sendable (_ path: String, _ limit: ByteCount) -> Result<ConfigurationFile, ConfigurationFileRefusal>

  public init(
    matching: @escaping @Sendable (_ pattern: String) -> Result<[String], ConfigurationFileRefusal>,
    identity: @escaping @Sendable (_ path: String) -> String?,
    read:
      @escaping @Sendable (_ path: String, _ limit: ByteCount) ->
      Result<ConfigurationFile, ConfigurationFileRefusal>
  ) {
    self.matching = matching
    self.identity = identity
    self.read = read
  }

  public static let none = ConfigurationFiles(
    matching: { _ in .success([]) }, identity: { _ in nil },
    read: { path, _ in .failure(ConfigurationFileRefusal("\(path): there is no such file", cure: nil)) })
}

public struct ConfigurationFile: Sendable {
  public var bytes: [UInt8]
  /// Warnings about a file that is used all the same, such as a group that may write it.
  public var warnings: [ConfigurationFileRefusal]

  public init(bytes: [UInt8], warnings: [ConfigurationFileRefusal] = []) {
    self.bytes = bytes
    self.warnings = warnings
  }
}

/// The reason why a file is not used.
public struct ConfigurationFileRefusal: Error, Hashable, Sendable {
  public var what: String
  public var cure: String?

  public init(_ what: String, cure: String?) {
    self.what = what
    self.cure = cure
  }
}
