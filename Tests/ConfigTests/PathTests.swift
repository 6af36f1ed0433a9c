// Paths: what is expanded, the defaults, and which of several settings wins.

import Config
import Core
import Testing

@Suite struct PathTests {
  private func settings(
    _ keys: String = "", _ environment: [String: String] = [:],
    path: String = "/home/me/.config/bgfetch/bgfetch.yaml"
  ) -> Settings? {
    reading(keys + "\nfeeds: {a: \"https://a.example/\"}", surroundings(environment), path: path).settings
  }

  @Test(arguments: [
    ("~", "/home/me"), ("~/a", "/home/me/a"), ("$HOME/a", "/home/me/a"), ("${HOME}a", "/home/mea"),
    ("/a//b/./c/", "/a/b/c"), ("/a/../b", "/a/../b"), ("a/~", "/home/me/.config/bgfetch/a/~"),
    ("$XDG_DATA_HOME/a", "/home/me/.local/share/a"), ("$XDG_STATE_HOME", "/home/me/.local/state"),
    ("${XDG_CONFIG_HOME}/a", "/home/me/.config/a"), ("$A/$B", "/x/y"), ("./a", "/home/me/.config/bgfetch/a"),
  ])
  func `a path is made absolute`(written: String, path: String) {
    #expect(settings("documents: \"\(written)\"", ["A": "/x", "B": "y"])?.documents == path)
  }

  @Test func `the base directories are those of the environment, the first of systemd, or a user's own`() {
    let (environment, home) = (
      ["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"], "/home/me/.local/state/bgfetch"
    )
    let service = settings("", ["STATE_DIRECTORY": "/var/lib/bgfetch:/var/lib/other"])

    #expect(settings("", environment)?.documents == "/d/bgfetch/documents")
    #expect(settings("", environment)?.state == "/s/bgfetch")
    #expect(settings("", environment)?.badge == "/s/bgfetch/badge")
    // A relative one counts as unset.
    #expect(settings("", ["XDG_STATE_HOME": "state"])?.state == home)
    for path in ["/etc/bgfetch.yaml", "/etc/bgfetch2/bgfetch.yaml", "/srv/etc/bgfetch/bgfetch.yaml"] {
      #expect(settings("", path: path)?.state == home)
    }
    #expect(service?.state == "/var/lib/bgfetch")
    #expect(service?.badge == "/var/lib/bgfetch/badge")
  }

  @Test(arguments: [SystemPlaces.configuration, "/etc/bgfetch/more/other.yaml"])
  func `a system configuration has the same places for every user`(path: String) {
    let settings = settings("", ["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"], path: path)

    #expect(settings?.state == "/var/lib/bgfetch")
    #expect(settings?.documents == "/var/lib/bgfetch/documents")
    #expect(settings?.badge == "/var/lib/bgfetch/badge")
  }

  @Test func `keys win over systemd and the places of the machine, and the command line over keys`() {
    let path = SystemPlaces.configuration
    let service = ["STATE_DIRECTORY": "/var/lib/bgfetch"]

    #expect(settings("state: /srv/state", path: path)?.badge == "/srv/state/badge")
    #expect(settings("documents: /srv/files", path: path)?.documents == "/srv/files")
    #expect(settings("", ["STATE_DIRECTORY": "/var/lib/more"], path: path)?.state == "/var/lib/more")
    #expect(settings("state: /srv/state", service)?.state == "/srv/state")
    #expect(settings("badge: /srv/badge", service)?.badge == "/srv/badge")
  }

  @Test func `no badge file is written if badge is none`() throws {
    let withoutBadge = try #require(settings("badge: none"))

    #expect(withoutBadge.badge == nil)
  }

  @Test func `without a home directory a configuration must name every path`() {
    let context = surroundings(home: "")
    func problems(_ text: String, path: String = "/srv/bgfetch.yaml") -> [String] {
      reading(text, context, path: path).problems.map(\.text)
    }

    #expect(problems("feeds: {a: \"https://a.example/\"}", path: SystemPlaces.configuration) == [])
    #expect(
      problems("feeds: {a: \"https://a.example/\"}") == [
        "bgfetch.yaml:1:1: documents has no default without a home directory; write documents: /absolute/path",
        "bgfetch.yaml:1:1: state has no default without a home directory; write state: /absolute/path",
      ])
    #expect(problems("documents: /d\nstate: /s\nfeeds: {a: \"https://a.example/\"}") == [])
  }

  @Test(arguments: [
    ("~/bin/x", "/home/me/bin/x"), ("./x", "/home/me/.config/bgfetch/x"),
    ("bin/x", "/home/me/.config/bgfetch/bin/x"), ("x", "x"), ("/usr/bin/x", "/usr/bin/x"),
    ("$HOME/x", "/home/me/.config/bgfetch/$HOME/x"),
  ])
  func `a program with a slash is made absolute, a bare name is left to PATH`(
    written: String, program: String
  ) {
    let settings = settings("hooks: {h: {events: [failed], run: [\"\(written)\"]}}")

    #expect(settings?.hooks.first?.run == [.one(Template(literal: program))])
  }
}
