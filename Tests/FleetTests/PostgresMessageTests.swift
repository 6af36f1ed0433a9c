// The words of libpq about a connection that fails: without secrets, and as a failure with or without hope. No server is needed.

import Core
import Store
import Testing

@testable import Fleet

@Suite struct PostgresMessageTests {
  @Test(arguments: [("host=h s3cret-word", "s3cret-word"), ("postgresql://me:s3cret@word@[::1/db", nil)])
  func `what libpq says does not show a password`(place: String, password: String?) {
    do {
      _ = try PostgresConnection(PostgresSettings(connection: place, password: password))
      Issue.record("connected")
    } catch {
      #expect(!"\(error)".contains("s3cret"), "\(error)")
      #expect(!"\(error)".contains("word"), "\(error)")
      #expect((error as? StoreFailure)?.mayPass == false)
    }
  }

  private static let server = #"connection to server at "db", port 5432 failed: "#

  private func failure(_ message: String) -> StoreFailure {
    StoreFailure(connecting: message, place: "P") { $0 }
  }

  @Test(arguments: [
    ("Connection refused\n\tIs the server running on that host?\n", nil, true),
    ("server closed the connection unexpectedly\n", nil, true), ("timeout expired\n", nil, true),
    ("session is read-only\n", nil, true),
    (
      "FATAL:  57P03: the database system is starting up\nLOCATION:  ProcessStartupPacket, postmaster.c:2\n",
      "57P03", true
    ),
    ("FATAL:  53300: sorry, too many clients already\nLOCATION:  x, y.c:3\n", "53300", true),
    ("FATAL:  08P01: server login has been failing, try again later\n", "08P01", true),
    // The words are in the language of the server.
    (
      "FATAL:  28P01: Passwort-Authentifizierung für Benutzer »b« fehlgeschlagen\nLOCATION:  a, b.c:1\n",
      "28P01", false
    ),
    ("FATAL:  3D000: database \"none\" does not exist\n", "3D000", false),
    ("fe_sendauth: no password supplied\n", "08001", false),
    ("root certificate file \"/r.crt\" does not exist\n", "08001", false),
    ("server does not support SSL, but SSL was required\n", "08001", false),
  ])
  func `a server that may soon let a connection in is tried again`(
    words: String, code: String?, mayPass: Bool
  ) {
    let failure = failure(Self.server + words)

    #expect(failure.mayPass == mayPass)
    switch failure {
    case .unreachable: #expect(code == nil)
    case .refused(_, let found, let detail):
      #expect(found == code, "\(failure)")
      #expect(!detail.contains("LOCATION"), "\(failure)")
      #expect(!detail.contains("\(found):"), "\(failure)")
    default: Issue.record("\(failure)")
    }
  }

  @Test func `one of several hosts gives hope, and a mistake in the settings none`() {
    let refused = Self.server + "Connection refused\n"
    let password = Self.server + "FATAL:  28P01: no\n"

    #expect(failure(refused + password).mayPass)
    #expect(failure(password + refused).mayPass)
    #expect(!failure(password + password).mayPass)
    #expect(failure("could not translate host name \"db\" to address: Try again\n").mayPass)
    #expect(!failure("invalid connection option \"hots\"\n").mayPass)
  }
}
