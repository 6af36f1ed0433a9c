// The surroundings of a configuration, and the result of reading it. Files, environment and zones are the caller's.

public import Core

/// The surroundings of a configuration, which the caller reads from the process.
public struct ConfigurationContext: Sendable {
  public var environment: [String: String]
  /// The home directory, `~` in paths; empty if there is none.
  public var home: String
  /// The state directory that the command line names, which wins over the file's; absolute.
  public var state: String?
  /// Whether a name is one of the system's time zones.
  public var isZone: @Sendable (String) -> Bool
  /// The way to the files that `include` names.
  public var files: ConfigurationFiles

  public init(
    environment: [String: String], home: String, state: String? = nil, files: ConfigurationFiles = .none,
    isZone: @escaping @Sendable (String) -> Bool
  ) {
    self.environment = environment
    self.home = home
    self.state = state
    self.isZone = isZone
    self.files = files
  }
}

/// The result of reading a configuration.
public struct ConfigurationReading: Sendable {
  /// The settings; nil if and only if one of the problems is no warning.
  public var settings: Settings?
  /// All mistakes and warnings, each once, in the order of the files and of their lines.
  public var problems: [ConfigurationProblem]
  /// The files that were read, as messages name them; the first one includes the others.
  public var files: [String]
  /// The absolute paths on which the result depends: the files, and the directories in which patterns were
  /// searched; an empty path stands for directories that a pattern names.
  public var sources: [String]
}
