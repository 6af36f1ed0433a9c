// What the configuration is read against, and what comes of it. Files, environment and zones are the
// caller's.

public import Core

/// What surrounds a configuration; nothing of it is read from the process by this module.
public struct ConfigurationContext: Sendable {
  /// The environment variables that paths may name.
  public var environment: [String: String]
  /// The home directory, `~` in paths; empty if there is none.
  public var home: String
  /// The state directory that the command line names, which wins over the file's; absolute.
  public var state: String?
  /// Whether a name is one of the system's time zones.
  public var isZone: @Sendable (String) -> Bool
  /// How the files that `include` names are found and read.
  public var files: ConfigurationFiles

  /// The surroundings of one run.
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

/// What a configuration came to.
public struct ConfigurationReading: Sendable {
  /// The settings; nil if and only if one of the problems is no warning.
  public var settings: Settings?
  /// All mistakes and warnings, in the order of the files and of each file, none of them twice.
  public var problems: [ConfigurationProblem]
  /// The files that were read, as messages name them; the first one includes the others.
  public var files: [String]
  /// The absolute paths of all that another reading would depend on: the files, and the directories that patterns were
  /// held against; an empty one stands for directories that cannot be listed, those of a pattern in a directory's name.
  public var sources: [String]
}
