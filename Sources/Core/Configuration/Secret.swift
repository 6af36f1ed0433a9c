// Text that must not stand in the configuration itself. Fetching it is Host's business.

/// Where a secret comes from; it is fetched only when it is needed, and its first line counts.
public enum Secret: Hashable, Sendable {
  /// An environment variable.
  case environment(String)
  /// A file, by absolute path.
  case file(String)
  /// A systemd credential: a file's name below `$CREDENTIALS_DIRECTORY` (systemd.exec(5)).
  case credential(String)
  /// A command's standard output.
  case command([String])
}

/// Text that may be written out or be a secret.
public enum SecretText: Hashable, Sendable {
  /// Text that stands in the configuration.
  case plain(String)
  /// Text that is fetched when needed and masked in every output.
  case secret(Secret)
}
