// Where the user's files belong (XDG Base Directory Specification 0.8). Nothing here looks at a file.

/// The places of the program's files for one environment.
public struct StandardDirectories: Hashable, Sendable {
  /// `$XDG_CONFIG_HOME`, else `~/.config`.
  public let configuration: String
  /// `$XDG_DATA_HOME`, else `~/.local/share`.
  public let data: String
  /// `$XDG_STATE_HOME`, else `~/.local/state`.
  public let state: String
  /// `$XDG_CACHE_HOME`, else `~/.cache`.
  public let cache: String
  /// The first of `$STATE_DIRECTORY`, which systemd sets (systemd.exec(5)); nil without it.
  public let serviceState: String?
  /// The configuration files in the order in which they are looked for.
  ///
  /// `$BGFETCH_CONFIG` alone where it is set, else the user's, else the system's.
  public let configurationFiles: [String]

  /// The places for an environment and a home directory; a relative path in a variable counts as none, as the
  /// specification demands.
  public init(environment: [String: String], home: String) {
    func place(_ variable: String, _ otherwise: String) -> String {
      guard let value = environment[variable], value.hasPrefix("/") else { return home + "/" + otherwise }
      return value
    }
    configuration = place("XDG_CONFIG_HOME", ".config")
    data = place("XDG_DATA_HOME", ".local/share")
    state = place("XDG_STATE_HOME", ".local/state")
    cache = place("XDG_CACHE_HOME", ".cache")
    serviceState = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    if let named = environment["BGFETCH_CONFIG"], !named.isEmpty {
      configurationFiles = [named]
    } else {
      configurationFiles = [configuration + "/bgfetch/bgfetch.yaml", "/etc/bgfetch/bgfetch.yaml"]
    }
  }
}
