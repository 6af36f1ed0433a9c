// The messages about a PostgreSQL server. No server is needed.

import Core
import Store
import Testing

@testable import bgfetch

@Suite struct ServerTextTests {
  @Test(arguments: [
    ("28P01", "check user and password"), ("28000", "pg_hba.conf"), ("3D000", "createdb"),
    ("42501", "database.sql"), ("42P01", "bgfetch fleet prepare"), ("3F000", "bgfetch fleet prepare"),
    ("25006", "target_session_attrs=read-write"), ("53100", "space where the server keeps its data"),
    ("53300", "max_connections"), ("57014", "try again"), ("57P01", "when the server is up"),
    ("57P03", "when the server is up"), ("08P01", "when the server is up"), ("08001", "state: {postgres: …}"),
    ("58030", "the server's log"), ("XX000", "the server's log"),
  ])
  func `an error of the server is told in its terms, with a cure`(code: String, cure: String) {
    let text = storeText(.refused(path: "PostgreSQL at h, database d", code: code, detail: "ERROR: words"))

    #expect(text.hasPrefix("PostgreSQL at h, database d: ERROR: words (\(code)); "))
    #expect(text.contains(cure))
  }

  @Test(arguments: [
    StoreFailure.belongsTo(configuration: "feeds=1", path: "PostgreSQL at h"),
    .newerSchema(path: "PostgreSQL at h", found: 3, known: 2),
    .corrupt(path: "PostgreSQL at h", detail: "column x holds no text"), .foreign(path: "PostgreSQL at h"),
    .busy(path: "PostgreSQL at h", detail: "deadlock detected"),
    .cannotOpen(path: "PostgreSQL at h", detail: "no right to use feed"),
    .unreachable(path: "PostgreSQL at h", detail: "Connection refused"),
    .sharedSession(path: "PostgreSQL at h"),
    .refused(path: "PostgreSQL", code: "", detail: "libpq is not installed; install it (Debian: libpq5)"),
    .notPrepared(path: "PostgreSQL at h"), .notEmpty(path: "PostgreSQL at h"),
    .takenForDead(path: "PostgreSQL at h"), .closed(path: "PostgreSQL at h"),
  ])
  func `no message about a server speaks of files`(failure: StoreFailure) {
    let text = storeText(failure)

    #expect(text.hasPrefix("PostgreSQL"))
    for word in ["SQLite", "director", "permission", "its mode", "move it away"] {
      #expect(!text.contains(word), "\(text)")
    }
  }
}
