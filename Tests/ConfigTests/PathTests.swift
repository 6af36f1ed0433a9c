// Where things are put: what is expanded, what is assumed, and which of several answers wins.

import Config
import Core
import Testing

@Suite struct PathTests {
  private func settings(
    _ keys: String = "", _ environment: [String: String] = [:], state: String? = nil
  ) -> Settings? {
    var context = surroundings(environment)
    context.state = state
    return reading(keys + "\nfeeds: {a: \"https://a.example/\"}", context).settings
  }

  @Test(arguments: [
    ("~", "/home/me"), ("~/a", "/home/me/a"), ("$HOME/a", "/home/me/a"), ("${HOME}a", "/home/mea"),
    ("/a//b/./c/", "/a/b/c"), ("/a/../b", "/a/../b"), ("a/~", "/etc/bgfetch/a/~"),
    ("$XDG_DATA_HOME/a", "/home/me/.local/share/a"), ("$XDG_STATE_HOME", "/home/me/.local/state"),
    ("${XDG_CONFIG_HOME}/a", "/home/me/.config/a"), ("$A/$B", "/x/y"), ("./a", "/etc/bgfetch/a"),
  ])
  func `a path is made absolute`(written: String, path: String) {
    #expect(settings("documents: \"\(written)\"", ["A": "/x", "B": "y"])?.documents == path)
  }

  @Test func `the base directories are those of the environment where it names any`() {
    let environment = ["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"]

    #expect(settings("", environment)?.documents == "/d/bgfetch/documents")
    #expect(settings("", environment)?.state == "/s/bgfetch")
    #expect(settings("", environment)?.badge == "/s/bgfetch/badge")
  }

  @Test func `a relative base directory counts as unset`() {
    #expect(settings("", ["XDG_STATE_HOME": "state"])?.state == "/home/me/.local/state/bgfetch")
  }

  @Test func `a systemd service's first state directory holds state and badge`() {
    let settings = settings("", ["STATE_DIRECTORY": "/var/lib/bgfetch:/var/lib/other"])

    #expect(settings?.state == "/var/lib/bgfetch")
    #expect(settings?.badge == "/var/lib/bgfetch/badge")
  }

  @Test func `the file wins over systemd, and the command line over the file`() {
    let environment = ["STATE_DIRECTORY": "/var/lib/bgfetch"]

    #expect(settings("state: /srv/state", environment)?.state == "/srv/state")
    #expect(settings("state: /srv/state", environment, state: "/tmp/state")?.state == "/tmp/state")
    #expect(settings("state: /srv/state", environment, state: "/tmp/state")?.badge == "/tmp/state/badge")
    #expect(settings("badge: /srv/badge", environment, state: "/tmp/state")?.badge == "/srv/badge")
  }

  @Test func `without a home a configuration must say where things are`() {
    let context = surroundings(home: "")

    #expect(
      problems("feeds: {a: \"https://a.example/\"}", context) == [
        "bgfetch.yaml:1:1: there is no home directory for documents; write documents: /absolute/path",
        "bgfetch.yaml:1:1: there is no home directory for state; write state: /absolute/path",
      ])
    #expect(problems("documents: /d\nstate: /s\nfeeds: {a: \"https://a.example/\"}", context) == [])
  }

  @Test(arguments: [
    ("~/bin/x", "/home/me/bin/x"), ("./x", "/etc/bgfetch/x"), ("bin/x", "/etc/bgfetch/bin/x"), ("x", "x"),
    ("/usr/bin/x", "/usr/bin/x"), ("$HOME/x", "/etc/bgfetch/$HOME/x"),
  ])
  func `a program with a slash is made absolute, a bare name is left to PATH`(
    written: String, program: String
  ) {
    let settings = settings("hooks: {h: {events: [failed], run: [\"\(written)\"]}}")

    #expect(settings?.hooks.first?.run == [.one(Template(literal: program))])
  }
}
