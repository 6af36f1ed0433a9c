// The paths of a system-wide configuration, which services use and root can read.

/// The paths of a configuration below /etc/bgfetch: state and documents are below /var/lib/bgfetch, not a home directory.
///
/// System services and every command then find the same state, for every user and in every environment.
public enum SystemPlaces {
  public static let configuration = "/etc/bgfetch/bgfetch.yaml"
  /// `StateDirectory=` of the system's units.
  public static let state = "/var/lib/bgfetch"

  /// Whether a configuration, by its absolute path, is for the whole machine.
  public static func contains(configuration path: String) -> Bool {
    path.hasPrefix("/etc/bgfetch/")
  }
}
