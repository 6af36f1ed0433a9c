// The database in place of a state directory.

import Config
import Core
import Testing

@Suite struct StateServerTests {
  private func read(_ state: String) -> ConfigurationReading {
    reading("state: \(state)\nfeeds: {a: \"https://a.example/\"}")
  }

  @Test func `a path is a directory, and there is no database`() {
    #expect(read("/srv/state").settings?.server == nil)
    #expect(read("/srv/state").settings?.state == "/srv/state")
  }

  @Test(arguments: [
    "host=db.example dbname=bgfetch user=bgfetch sslmode=verify-full", "service=bgfetch",
    "postgresql://me@db.example:5433/bgfetch?sslmode=require", "postgres://db.example/bgfetch",
    "postgresql:///bgfetch", "host=/run/postgresql",
  ])
  func `a database leaves the state directory at its default`(place: String) {
    let settings = read("{postgres: \"\(place)\", password: {file: /etc/bgfetch/db}}").settings

    #expect(settings?.server == StateServer(connection: place, password: .file("/etc/bgfetch/db")))
    #expect(settings?.state == reading("feeds: {a: \"https://a.example/\"}").settings?.state)
  }

  @Test(arguments: [
    ("/srv/state", "", 90, 90), ("/srv/state", "history: 30d\n", 30, 30),
    ("{postgres: \"dbname=bgfetch\"}", "", 7, 30), ("{postgres: \"dbname=bgfetch\"}", "history: 2d\n", 2, 2),
  ])
  func `machines that share a state keep the history for a shorter time`(
    state: String, keys: String, history: Int64, events: Int64
  ) {
    let settings = reading("\(keys)state: \(state)\nfeeds: {a: \"https://a.example/\"}").settings

    #expect(settings?.history == .days(history))
    #expect(settings?.events == .days(events))
  }

  @Test func `a machine of several claims as many hosts as keep its connections busy`() {
    #expect(read("{postgres: \"dbname=bgfetch\"}").settings?.roundLimit?.hosts == 256)
    #expect(read("/srv/state").settings?.roundLimit == nil)
  }
}
