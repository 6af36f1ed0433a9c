// `state` as a database that several machines share, and the sections of the configuration that must be the same on all of them.

import Core

extension StateServer {
  static let keys = Keys("state", StateServer(connection: "")) { keys in
    keys.key(
      "postgres", \.connection, .connectionString,
      "the connection string or postgresql:// URI of the database, without a password")
    keys.optional(
      "password", \.password, .secret, default: nil, "its password; by default that of ~/.pgpass or none")
  }
}

extension Field {
  /// The database in place of a state directory.
  func stateServer() throws(Mistake) -> StateServer {
    var server = StateServer(connection: "")
    let keys = try StateServer.keys.read(
      self, into: &server, expecting: "a path, or {postgres: \"dbname=bgfetch\"}")
    if keys["postgres"] == nil {
      report(
        "\(name) names no database", cure: "write postgres: \"host=db.example dbname=bgfetch user=bgfetch\"")
    }
    return server
  }
}

extension ValueType<String> {
  /// A connection string or URI without a password.
  fileprivate static let connectionString = Self("text") { field throws(Mistake) in
    let text = try field.someText(expecting: "a connection string such as host=db.example dbname=bgfetch")
    let isURI = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    let user =
      isURI ? text.split(separator: "/").dropFirst().first?.split(separator: "@", maxSplits: 1).first : nil
    if text.lowercased().contains("password") || (text.contains("@") && user?.contains(":") == true) {
      throw field.mistake(
        "\(field.name) must not hold a password", cure: "write password: {file: PATH} beside it")
    }
    try field.require(
      isURI || text.contains("="), "\(field.name) is not a connection string",
      cure: "write host=db.example dbname=bgfetch user=bgfetch, or a postgresql:// URI")
    return text
  }
}

/// The sections of all files without what may differ between machines: places, budgets, and the keys of
/// `KeyTable.keysOfMachine`.
///
/// - Parameter feeds: the sum of the fingerprints of all feeds.
func sharedSections(_ parts: [ConfigurationPart], feeds: UInt64) -> SharedSections {
  var fingerprints = ["feeds": feeds]
  for key in ["timezone", "network", "defaults", "catalog", "hooks"] {
    for part in parts {
      if let field = part.top[key] { fingerprints[key, default: 0] &+= field.fingerprint(below: key) }
    }
  }
  return SharedSections(fingerprints)
}
