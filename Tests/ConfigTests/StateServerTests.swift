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

    #expect(settings?.server == StateServer(place: place, password: .file("/etc/bgfetch/db")))
    #expect(settings?.state == reading("feeds: {a: \"https://a.example/\"}").settings?.state)
  }

  @Test(arguments: [
    (
      "{postgres: \"host=db.example password=geheim\"}",
      "postgres must not hold a password; write password: {file: PATH} beside it"
    ),
    (
      "{postgres: \"postgresql://me:geheim@db.example/bgfetch\"}",
      "postgres must not hold a password; write password: {file: PATH} beside it"
    ),
    (
      "{postgres: db.example}",
      "postgres is not a connection string; write host=db.example dbname=bgfetch user=bgfetch, or a postgresql:// URI"
    ),
    (
      "{password: {file: /etc/bgfetch/db}}",
      "state names no database; write postgres: \"host=db.example dbname=bgfetch user=bgfetch\""
    ),
    (
      "{postgres: \"dbname=x\", password: geheim}",
      "password must not be plain text in this file; store it elsewhere and write {env: NAME}, {file: PATH}, "
        + "{credential: NAME} or {command: [pass, show, NAME]}"
    ),
    ("{postgres: \"dbname=x\", user: me}", "unknown key \"user\""),
  ])
  func `mistakes are named with their cure, and no password is repeated`(state: String, problem: String) {
    let problems = read(state).problems.map(\.text)

    #expect(problems.count == 1 && problems[0].contains(problem), "\(problems)")
    #expect(problems.allSatisfy { !$0.contains("geheim") })
  }
}
