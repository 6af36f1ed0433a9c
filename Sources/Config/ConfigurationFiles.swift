// How a configuration comes to the files it includes. Reading them, and whether they can be trusted, is the caller's.

public import Core

/// The door through which `include` reads further files.
public struct ConfigurationFiles: Sendable {
  /// The files that match an absolute pattern of `*`, `?` and `[…]`, in the order of their bytes, or why it could not be
  /// told; none is a normal result.
  public var matching: @Sendable (_ pattern: String) -> Result<[String], ConfigurationFileRefusal>
  /// A text that is the same for every path of one file; nil where there is none.
  public var identity: @Sendable (_ path: String) -> String?
  /// A file of at most a number of bytes, or the reason not to use it.
  public var read:
    @Sendable (_ path: String, _ limit: ByteCount) -> Result<ConfigurationFile, ConfigurationFileRefusal>

  /// The three ways to files.
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

  /// No files at all.
  public static let none = ConfigurationFiles(
    matching: { _ in .success([]) }, identity: { _ in nil },
    read: { path, _ in .failure(ConfigurationFileRefusal("\(path): there is no such file", cure: nil)) })
}

/// A file that was read.
public struct ConfigurationFile: Sendable {
  /// Its content.
  public var bytes: [UInt8]
  /// What deserves a warning although the file is used, each with its cure: a group that may write it.
  public var warnings: [ConfigurationFileRefusal]

  /// A file with its content.
  public init(bytes: [UInt8], warnings: [ConfigurationFileRefusal] = []) {
    self.bytes = bytes
    self.warnings = warnings
  }
}

/// Why a file is not used, in words that name it.
public struct ConfigurationFileRefusal: Error, Hashable, Sendable {
  /// What is wrong.
  public var what: String
  /// What would be right.
  public var cure: String?

  /// A refusal.
  public init(_ what: String, cure: String?) {
    self.what = what
    self.cure = cure
  }
}
