// The places of a configuration for the whole machine, which services use and root can read.

/// The places of a configuration below /etc/bgfetch: what a user has below the home directory is below /var/lib/bgfetch.
///
/// The system's services and every command then find the same state, for every user and in every environment.
public enum SystemPlaces {
  public static let configuration = "/etc/bgfetch/bgfetch.yaml"
  /// `StateDirectory=` of the system's units.
  public static let state = "/var/lib/bgfetch"

  /// Whether a configuration, by its absolute path, is for the whole machine.
  public static func contains(configuration path: String) -> Bool {
    path.hasPrefix("/etc/bgfetch/")
  }
}
