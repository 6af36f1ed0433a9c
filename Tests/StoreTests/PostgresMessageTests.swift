// The messages of libpq, without secrets. No server is needed: libpq refuses these places by itself.

import Core
import Testing

@testable import Store

@Suite struct PostgresMessageTests {
  @Test(arguments: [
    ("host=h s3cret-word", "s3cret-word"), ("postgresql://me:s3cret@word@[::1/db", nil),
  ])
  func `what libpq says does not show a password`(place: String, password: String?) {
    do {
      _ = try PostgresConnection(PostgresSettings(place: place, password: password))
      Issue.record("connected")
    } catch {
      #expect(!"\(error)".contains("s3cret") && !"\(error)".contains("word"), "\(error)")
    }
  }
}
