// The configuration of the whole machine, the state of its services, and a state in an unexpected place.
//
// The machine's directories are replaced by empty ones in a mount namespace, so that no other program sees the change.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: mayMount)) struct SystemStateTests {
  private static let onlyRoot =
    "/var/lib/bgfetch: only root and the services may use it; run this as root, for example with sudo\n"

  /// Runs a script in which /etc/bgfetch and /var/lib are empty, and a configuration is in the first.
  private func machine(_ script: String) async throws -> Invoked {
    let bgfetch = try BuiltProgram()
    try bgfetch.home.write(script, to: "script")
    // /etc is covered where it has no such directory yet; the rest of it stays visible.
    return try await bgfetch.shell(
      """
      unset BGFETCH_CONFIG
      exec unshare -m sh -c '
        set -e
        mkdir -p etc work && mount -t tmpfs none work && mkdir work/upper work/work
        mount -t overlay none -o lowerdir=/etc,upperdir=work/upper,workdir=work/work etc
        mkdir -p etc/bgfetch && mount --bind etc /etc
        mount -t tmpfs -o mode=755 none /var/lib
        echo "feeds: {planet: https://planet.example/}" > /etc/bgfetch/bgfetch.yaml
        . ./script'
      """)
  }

  @Test func `root can show the state of the services, and cannot change it`() async throws {
    let invoked = try await machine(
      """
      mkdir -m 700 /var/lib/private /var/lib/private/bgfetch
      ln -s private/bgfetch /var/lib/bgfetch
      "$BGFETCH" pause planet > made
      chown -R 61234:61234 /var/lib/private/bgfetch
      "$BGFETCH" status
      "$BGFETCH" check
      "$BGFETCH" pause planet && echo paused || echo refused
      """)

    for part in ["planet", "paused", "no problems"] { #expect(invoked.output.contains(part)) }
    #expect(invoked.output.hasSuffix("refused\n"))
    #expect(invoked.errors.contains("systemctl start bgfetch.service"))
    #expect(invoked.errors.contains("-p DynamicUser=yes"))
  }

  @Test func `another user learns that only root may see it`() async throws {
    let invoked = try await machine(
      """
      mkdir -m 700 /var/lib/private /var/lib/private/bgfetch
      ln -s private/bgfetch /var/lib/bgfetch
      cp "$BGFETCH" /var/lib/program
      exec setpriv --reuid=61000 --regid=61000 --clear-groups env HOME=/var/lib /var/lib/program status
      """)

    #expect(invoked.status == 74)
    #expect(invoked.errors == "bgfetch: " + Self.onlyRoot)
  }

  @Test func `another user learns this too if the services have a user of their own`() async throws {
    let invoked = try await machine(
      """
      mkdir -m 700 /var/lib/bgfetch
      chown 60000:60000 /var/lib/bgfetch
      cp "$BGFETCH" /var/lib/program
      as_other() { setpriv --reuid=61000 --regid=61000 --clear-groups env HOME=/var/lib /var/lib/program "$@" || true; }
      as_other status
      as_other check
      as_other remove planet
      """)

    let start = "bgfetch: \(Self.onlyRoot)warning: \(Self.onlyRoot)bgfetch: /etc/bgfetch/bgfetch.yaml: "
    #expect(invoked.errors.hasPrefix(start))
    #expect(invoked.errors.contains("only root may change it"))
  }

  @Test func `add writes a configuration that the services may read`() async throws {
    let invoked = try await machine(
      """
      rm -r /etc/bgfetch
      umask 022
      echo "<rss version=\"2.0\"><channel><title>Planet</title></channel></rss>" > planet.xml
      "$BGFETCH" add --config /etc/bgfetch/bgfetch.yaml "$PWD/planet.xml"
      stat -c %a /etc/bgfetch /etc/bgfetch/bgfetch.yaml
      ls /var/lib
      """)

    #expect(invoked.output.contains("bgfetch install-timer --system "))
    #expect(invoked.output.hasSuffix("\n755\n644\n"))
  }
}

@Suite struct OtherStateTests {
  // A command that writes creates a state, which is as empty as before.
  @Test func `an empty state beside a full one of the same configuration is reported`() async throws {
    let bgfetch = try BuiltProgram()
    let configuration = try bgfetch.home.write("feeds: {planet: https://planet.example/}\n", to: "feeds.yaml")
    let (used, other) = (bgfetch.home.file(".local/state/bgfetch"), bgfetch.home.file("other"))
    try await bgfetch("pause", "planet", "--config", configuration)
    for arguments in [
      ["status"], ["seen", "--all"], ["status"], ["badge", "--format", "waybar"], ["history"],
    ] {
      let words = arguments + ["--config", configuration]
      let errors = try await bgfetch(words, environment: ["XDG_STATE_HOME": other]).errors
      #expect(
        errors.hasPrefix("warning: there is no state in \(other)/bgfetch, but \(used) has one"),
        "\(arguments)")
    }

    try bgfetch.home.write("state: \(other)\n" + bgfetch.text(of: "feeds.yaml"), to: "feeds.yaml")
    let named = try await bgfetch("status", "--config", configuration)
    #expect(named.errors.hasPrefix("warning: there is no state in \(other), but \(used) has one"))
    #expect(named.errors.hasSuffix("; to use that, write state: \(used)\n"))
  }

  @Test func `a state of another configuration is not reported`() async throws {
    let bgfetch = try BuiltProgram()
    let files = try ["one.yaml", "two.yaml"].map { name in
      try bgfetch.home.write("feeds: {planet: https://planet.example/}\n", to: name)
    }

    try await bgfetch("pause", "planet", "--config", files[0])
    let other = ["XDG_STATE_HOME": bgfetch.home.file("other")]
    let status = try await bgfetch("status", "--config", files[1], environment: other, status: 0)

    #expect(status.errors == "")
  }
}
