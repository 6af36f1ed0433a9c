// Conditions with real parts: a system bus of a test's own with NetworkManager, commands, and power supplies in a mount namespace.

import Foundation
import TestKit
import Testing

@Suite struct MachineConditionTests {
  /// Whether a system bus can be made, and services on it.
  static let hasBus = runs("test -x /usr/bin/dbus-daemon && /usr/bin/python3 -c 'import dbusmock, gi'")
  /// Whether a directory can be mounted over the power supplies.
  static let hasMounts = runs("exec unshare -rm mount --bind /tmp /sys/class/power_supply")

  private static func runs(_ command: String) -> Bool {
    let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    return (try? ChildProgram("/bin/sh", ["-c", command], environment: environment, directory: "/"))?.wait()
      == 0
  }

  /// NetworkManager of a laptop at a hotspot, whose connection is metered as the file `metered` says; one that says `end` ends it.
  ///
  /// The laptop has so many devices that their names are more than 64 KiB.
  private static let services = """
    import os, subprocess, sys, time, dbus, dbusmock
    os.environ['DBUS_SYSTEM_BUS_ADDRESS'] = 'unix:path=bus'
    name, path = 'org.freedesktop.NetworkManager', '/org/freedesktop/NetworkManager'
    mock = subprocess.Popen([sys.executable, '-m', 'dbusmock', '--system', name, path, name])
    bus = dbus.SystemBus()
    while not bus.name_has_owner(name): time.sleep(0.02)
    nm = dbus.Interface(bus.get_object(name, path), dbusmock.MOCK_IFACE)
    link, device = [dbus.ObjectPath(path + x) for x in ('/ActiveConnection/1', '/Devices/1')]
    nm.AddObject(device, name + '.Device', {'Metered': dbus.UInt32(0)}, [])
    nm.AddObject(link, name + '.Connection.Active', {'Id': 'hotspot', 'Type': '802-11-wireless', 'Vpn': False,
      'Devices': dbus.Array([device], signature='o')}, [])
    nm.AddProperties(name, {'Metered': dbus.UInt32(3), 'PrimaryConnection': link,
      'AllDevices': dbus.Array([dbus.ObjectPath(path + '/Devices/%d' % n) for n in range(2000)], signature='o'),
      'ActiveConnections': dbus.Array([link], signature='o')})
    if os.path.exists('metered'): os.remove('metered')
    open('ready', 'w').close()
    last, value = '3', 2
    while last != 'end':
        time.sleep(0.02)
        said = open('metered').read().strip() if os.path.exists('metered') else last
        if said == 'toggle':
            value = 6 - value
            nm.UpdateProperties(name, {'Metered': dbus.UInt32(value)})
        elif said and said != last and said != 'end':
            nm.UpdateProperties(name, {'Metered': dbus.UInt32(int(said))})
        last = said or last
    os.remove('ready')
    mock.kill()
    """

  /// Runs a test with a system bus whose services are those of a laptop.
  private func onLaptop(
    _ configuration: String, _ test: (BuiltProgram, _ environment: [String: String]) async throws -> Void
  ) async throws {
    let bgfetch = try BuiltProgram(configuration: configuration)
    let home = bgfetch.home
    try home.write(busConfiguration("system", in: home), to: "bus.conf")
    try home.write(Self.services, to: "services.py")
    let services = try bgfetch.startedShell([
      "-c",
      "while :; do dbus-daemon --config-file=bus.conf --nofork --nopidfile & bus=$!; "
        + "until test -S bus; do sleep 0.02; done; /usr/bin/python3 services.py; "
        + "kill $bus; wait $bus; rm -f bus; test -e again || exit 0; rm again; done",
    ])
    #expect(await eventually { FileManager.default.fileExists(atPath: home.file("ready")) })
    do {
      try await test(bgfetch, ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + home.file("bus")])
    } catch {
      Issue.record(error)
    }
    try home.write("end", to: "metered")
    _ = await services.ended()
  }

  /// Asks until an output has a text: a machine with much to do may not answer in a tenth of a second.
  private func asked(
    _ bgfetch: BuiltProgram, _ environment: [String: String], _ arguments: String..., says text: String
  ) async throws -> Bool {
    for _ in 0..<200 {
      let said = try await bgfetch(arguments, environment: environment)
      if said.output.contains(text) { return true }
    }
    return false
  }

  @Test(.enabled(if: hasBus))
  func `feeds wait for the network that services on the system bus know`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    let waits = "waits for an unmetered network (hotspot)"
    try await onLaptop(
      """
      feeds:
        unmetered: {url: "\(server.url("/planet"))", when: {network: unmetered}}
        any: {url: "\(server.url("/planet"))", when: {power: any}}
      """
    ) { bgfetch, environment in
      #expect(try await asked(bgfetch, environment, "why", "unmetered", says: waits))
      #expect(try await asked(bgfetch, environment, "why", "any", says: "due now: never fetched"))
      #expect(try await asked(bgfetch, environment, "status", says: waits))
      // A named feed does not wait.
      try await bgfetch("run", "unmetered", environment: environment, status: 0)
      #expect(server.requests.count == 1)
      // Without a bus nothing is known, and nothing waits.
      let none = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
      try await bgfetch("why", "any", environment: none, output: "due now: never fetched")
    }
  }

  @Test(.enabled(if: hasBus))
  func `run --watch fetches what has waited when the network is no longer metered`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    let waits = "waits for an unmetered network (hotspot)"
    let feed = "{url: \"\(server.url("/planet"))\", when: {network: unmetered}}"
    try await onLaptop("feeds: {planet: \(feed)}") { bgfetch, environment in
      #expect(try await asked(bgfetch, environment, "why", "planet", says: waits))
      let watch = try bgfetch.started(["run", "--watch"], environment: environment)
      try bgfetch.home.write("2", to: "metered")
      #expect(await eventually { server.requests.count == 1 })
      watch.signal(SIGTERM)
      _ = await watch.ended()
    }
  }

  @Test(.enabled(if: hasBus))
  func `run --watch alone fetches a feed for the first time when its longest wait ends`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    let feed = "{url: \"\(server.url("/planet"))\", when: {network: unmetered, at-latest: 3s}}"
    try await onLaptop("feeds: {planet: \(feed)}") { bgfetch, environment in
      let watch = try bgfetch.started(["run", "--watch"], environment: environment)
      #expect(await eventually { server.requests.count == 1 })
      watch.signal(SIGTERM)
      _ = await watch.ended()
    }
  }

  @Test(.enabled(if: hasBus), arguments: [ScriptedAnswer.Framing.length, .chunked()])
  func `a file that turns out to be large waits for an unmetered network, and is then completed`(
    framing: ScriptedAnswer.Framing
  ) async throws {
    let server = try ScriptedServer()
    let (content, waits) = (FileContent(96 << 20, seed: 7), "waits for an unmetered network (hotspot)")
    server.on("/1.mp3", .body(.stream(content, 0..<content.size), framing: framing))
    server.on("/feed", .document(podcast([Episode(id: "1", url: server.url("/1.mp3"))])))
    try await onLaptop(
      "feeds: {planet: {url: \"\(server.url("/feed"))\", minimum-interval: every-run, download: {}}}"
    ) { bgfetch, environment in
      // That its feed is named does not make the network cheaper.
      try await bgfetch("run", "planet", "--json", environment: environment, output: waits)
      try await bgfetch("transfers", environment: environment, status: 0, output: waits)
      #expect(server.requests("/1.mp3").count == 1)
      #expect(server.bodyBytes("/1.mp3") < content.size)
      if case .length = framing {
        try await bgfetch(
          "run", "planet", "--force", "--json", environment: environment, output: "transfer-placed")
        return
      }
      try bgfetch.home.write("2", to: "metered")
      #expect(try await asked(bgfetch, environment, "transfers", "run", "--json", says: "transfer-placed"))
      #expect(server.requests("/1.mp3").count == 2)
    }
  }

  @Test(.enabled(if: hasBus))
  func `a download under way is suspended when its network becomes metered, and then continues`() async throws
  {
    let server = try ScriptedServer()
    let gate = Gate()
    server.serve(
      AssetFile(FileContent(24 << 20, seed: 7), inTurn: [.pause(after: 4 << 20, gate)], []), at: "/1.mp3")
    server.on("/feed", .document(podcast([Episode(id: "1", url: server.url("/1.mp3"))])))
    try await onLaptop(
      "feeds: {planet: {url: \"\(server.url("/feed"))\", when: {network: unmetered}, download: {}}}"
    ) { bgfetch, environment in
      try bgfetch.home.write("2", to: "metered")
      #expect(try await asked(bgfetch, environment, "why", "planet", says: "due now"))
      let watch = try bgfetch.started(["run", "--watch"], environment: environment)
      await server.sent(4 << 20, of: "/1.mp3")
      try bgfetch.home.write("1", to: "metered")
      #expect(
        try await asked(bgfetch, environment, "transfers", says: "waits for an unmetered network (hotspot)"))
      try bgfetch.home.write("4", to: "metered")
      #expect(await eventually { server.requests("/1.mp3").count == 2 })
      #expect(server.requests("/1.mp3").last?["Range"]?.hasPrefix("bytes=") ?? false)
      watch.signal(SIGTERM)
      _ = await watch.ended()
    }
    gate.open()
  }

  @Test(.enabled(if: hasBus))
  func `a file whose condition comes true starts beside others that are under way`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.serve(AssetFile(FileContent(1 << 20, seed: 7), .pause(after: 1000, gate)), at: "/small.mp3")
    // One host gives one file at a time.
    let other = try ScriptedServer(on: "127.0.0.2")
    other.serve(AssetFile(FileContent(24 << 20, seed: 8)), at: "/large.mp3")
    let episodes = [("small", server), ("large", other)].map { Episode(id: $0, url: $1.url("/\($0).mp3")) }
    server.on("/feed", .document(podcast(episodes)))
    try await onLaptop(
      """
      network: {private-addresses: allow}
      defaults: {first-run: all}
      feeds: {planet: {url: "\(server.url("/feed"))", download: {}}}
      """
    ) { bgfetch, environment in
      let run = try bgfetch.started(["run"], environment: environment)
      #expect(
        try await asked(bgfetch, environment, "transfers", says: "waits for an unmetered network (hotspot)"))
      try bgfetch.home.write("2", to: "metered")
      #expect(await eventually { other.requests("/large.mp3").count == 2 })
      #expect(server.requests("/small.mp3").count == 1)
      gate.open()
      _ = await run.ended()
    }
  }

  @Test(.enabled(if: hasBus))
  func `run --watch hears a bus that has restarted`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    try await onLaptop(
      """
      feeds:
        planet: {url: "\(server.url("/planet"))", when: {network: unmetered, command: [test, -e, flag]}}
        moon: {url: "\(server.url("/moon"))", minimum-interval: never}
      """
    ) { bgfetch, environment in
      let watch = try bgfetch.started(["run", "--watch"], environment: environment)
      func isReady() -> Bool { FileManager.default.fileExists(atPath: bgfetch.home.file("ready")) }
      #expect(try await asked(bgfetch, environment, "why", "planet", says: "waits for an unmetered network"))
      try bgfetch.home.write("", to: "again")
      try bgfetch.home.write("end", to: "metered")
      #expect(await eventually { !isReady() })
      #expect(await eventually(isReady))
      // A command wakes it, which looks, and then hears the bus.
      try await bgfetch("pause", "moon", environment: environment, status: 0)
      try await bgfetch("resume", "moon", environment: environment, status: 0)
      try bgfetch.home.write("", to: "flag")
      try bgfetch.home.write("toggle", to: "metered")
      #expect(await eventually { server.requests.count == 1 })
      watch.signal(SIGTERM)
      _ = await watch.ended()
    }
  }

  @Test func `a feed waits until its command says yes, and the reason is said`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    let bgfetch = try BuiltProgram(server, keys: "when: {command: [test, -e, flag]}")

    try await bgfetch("run", status: 0)
    #expect(server.requests.isEmpty)
    let waits = "waits for the command test -e flag (exited with status 1)"
    try await bgfetch("why", "planet", status: 0, output: waits)
    try await bgfetch("status", status: 0, output: waits)
    try bgfetch.home.write("", to: "flag")
    try await bgfetch("run", status: 0)
    #expect(server.requests.count == 1)
  }

  @Test func `a command ends with the budget`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    // It does not end by SIGTERM.
    let command = "trap '' TERM; sleep 6.5; touch late"
    let bgfetch = try BuiltProgram(server, keys: "when: {command: [sh, -c, \"\(command)\"]}")

    try await bgfetch("run", "--budget", "2s", status: 0)

    #expect(!FileManager.default.fileExists(atPath: bgfetch.home.file("late")))
    #expect(server.requests.isEmpty)
  }

  @Test func `a command that cannot be started is never a yes`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    let bgfetch = try BuiltProgram(server, keys: "when: {command: [/nonexistent/at-home]}")

    try await bgfetch("run", status: 0)

    #expect(server.requests.isEmpty)
    try await bgfetch(
      "why", "planet", status: 0, output: "could not be started: there is no program /nonexistent/at-home")
    #expect(try await bgfetch("check").errors.contains("there is no program /nonexistent/at-home"))
  }

  @Test func `a file waits until the command of its conditions says yes`() async throws {
    let server = try ScriptedServer()
    server.serve(AssetFile(FileContent(1000, seed: 7)), at: "/1.mp3")
    server.on("/feed", .document(podcast([Episode(id: "1", url: server.url("/1.mp3"))])))
    let bgfetch = try BuiltProgram(
      configuration:
        "feeds: {planet: {url: \"\(server.url("/feed"))\", download: {when: {command: [test, -e, flag]}}}}")

    try await bgfetch("run", status: 0)
    #expect(server.requests("/1.mp3").isEmpty)
    try await bgfetch(
      "transfers", status: 0, output: "waits for the command test -e flag (exited with status 1)")
    try bgfetch.home.write("", to: "flag")
    try await bgfetch("run", status: 0)
    #expect(server.requests("/1.mp3").count == 1)
  }

  /// Scripts of buses that do not behave, which get the path of their socket.
  private static let hostile = [
    "silent": "time.sleep(100)", "garbage": "while True: c.sendall(os.urandom(1000000))",
    "a trickle": "while True: c.sendall(b'O'); time.sleep(0.005)", "closed": "c.close()",
    "no reply": "c.recv(99); c.sendall(b'OK 0123456789abcdef0123456789abcdef\\r\\n'); time.sleep(100)",
  ]

  @Test(.enabled(if: hasBus), arguments: hostile.keys.sorted())
  func `a bus that does not behave is never a reason to wait`(bus: String) async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    let bgfetch = try BuiltProgram(server, keys: "when: {network: unmetered}")
    try bgfetch.home.write(
      "import os, socket, sys, time\ns = socket.socket(socket.AF_UNIX); s.bind('bus'); s.listen(9); open('ready', 'w')\n"
        + "c = s.accept()[0]\ntry:\n  \(Self.hostile[bus] ?? "")\nexcept OSError: pass\n", to: "bus.py")
    let service = try bgfetch.startedShell(["-c", "exec /usr/bin/python3 bus.py"])
    #expect(await eventually { FileManager.default.fileExists(atPath: bgfetch.home.file("ready")) })

    let environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + bgfetch.home.file("bus")]
    try await bgfetch("run", environment: environment, status: 0)

    #expect(server.requests.count == 1)
    service.signal(SIGKILL)
    _ = await service.ended()
  }

  @Test(.enabled(if: hasMounts))
  func `a feed waits for mains power, as the power supplies say`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    let bgfetch = try BuiltProgram(server, keys: "when: {power: ac}")
    for (path, content) in [
      ("AC/type", "Mains"), ("AC/online", "0"), ("BAT0/type", "Battery"), ("BAT0/status", "Discharging"),
    ] {
      try bgfetch.makeDirectory("power/" + path.prefix { $0 != "/" })
      try bgfetch.home.write(content + "\n", to: "power/" + path)
    }
    func run(_ command: String) async throws -> Invoked {
      let mount = "mount --bind \"$HOME/power\" /sys/class/power_supply"
      return try await bgfetch.shell("exec unshare -rm sh -c '\(mount); exec \"$BGFETCH\" \(command)'")
    }

    _ = try await run("run")
    #expect(server.requests.isEmpty)
    #expect(try await run("why planet").output.contains("waits for mains power, at the latest"))
    #expect(try await run("status").output.contains("waits for mains power"))
    try bgfetch.home.write("1\n", to: "power/AC/online")
    _ = try await run("run")
    #expect(server.requests.count == 1)
  }
}
