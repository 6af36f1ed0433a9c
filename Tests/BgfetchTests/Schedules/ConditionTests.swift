// Conditions with real parts: a system bus of a test's own with NetworkManager and logind, and power supplies in a mount
// namespace.

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

  /// The services of a laptop at a hotspot, whose connection is metered as the file `metered` says; one that says `end` ends them.
  private static let services = """
    import os, subprocess, sys, time, dbus, dbusmock
    os.environ['DBUS_SYSTEM_BUS_ADDRESS'] = 'unix:path=bus'
    names = [('org.freedesktop.NetworkManager', '/org/freedesktop/NetworkManager'),
             ('org.freedesktop.login1', '/org/freedesktop/login1')]
    mocks = [subprocess.Popen([sys.executable, '-m', 'dbusmock', '--system', name, path, name + ('.Manager' if 'login' in name else '')])
             for name, path in names]
    bus = dbus.SystemBus()
    while not all(bus.name_has_owner(name) for name, path in names): time.sleep(0.02)
    nm, logind = [dbus.Interface(bus.get_object(name, path), dbusmock.MOCK_IFACE) for name, path in names]
    path, kind = '/org/freedesktop/NetworkManager/', 'org.freedesktop.NetworkManager'
    link, device, point = [dbus.ObjectPath(path + x) for x in ('ActiveConnection/1', 'Devices/1', 'AccessPoint/1')]
    nm.AddObject(point, kind + '.AccessPoint', {'Ssid': dbus.ByteArray(b'Phone')}, [])
    nm.AddObject(device, kind + '.Device', {'Metered': dbus.UInt32(0)}, [])
    nm.AddObject(link, kind + '.Connection.Active', {'Id': 'hotspot', 'Type': '802-11-wireless', 'Vpn': False,
      'Devices': dbus.Array([device], signature='o'), 'SpecificObject': point}, [])
    nm.AddProperties(kind, {'Metered': dbus.UInt32(3), 'PrimaryConnection': link,
      'ActiveConnections': dbus.Array([link], signature='o')})
    session = dbus.ObjectPath('/org/freedesktop/login1/session/c1')
    logind.AddObject(session, 'org.freedesktop.login1.Session', {'Active': True, 'IdleHint': False, 'Class': 'user'}, [])
    logind.AddMethod('org.freedesktop.login1.Manager', 'ListSessions', '', 'a(susso)',
      "ret = [('c1', dbus.UInt32(%d), 'me', 'seat0', dbus.ObjectPath('%s'))]" % (os.getuid(), session))
    open('ready', 'w').close()
    last = '3'
    while last != 'end':
        time.sleep(0.02)
        said = open('metered').read().strip() if os.path.exists('metered') else last
        if said and said != last and said != 'end':
            nm.UpdateProperties(kind, {'Metered': dbus.UInt32(int(said))})
        last = said or last
    for mock in mocks: mock.kill()
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
      "dbus-daemon --config-file=bus.conf --nofork --nopidfile & bus=$!; until test -S bus; do sleep 0.02; done; "
        + "/usr/bin/python3 services.py; kill $bus",
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
  func `feeds wait for the network and the session that services on the system bus know`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"]])
    try await onLaptop(
      """
      feeds:
        unmetered: {url: "\(server.url("/planet"))", when: {network: unmetered}}
        home: {url: "\(server.url("/planet"))", when: {network-names: [home, office]}}
        idle: {url: "\(server.url("/planet"))", when: {session: idle}}
        phone: {url: "\(server.url("/planet"))", when: {network-names: [Phone], session: active}}
      """
    ) { bgfetch, environment in
      let waits = [
        ("unmetered", "waits for an unmetered network (hotspot)"),
        ("home", "waits for the network home or office (connected to hotspot)"),
        ("idle", "waits until the session is idle"), ("phone", "due now: never fetched"),
      ]
      for (feed, text) in waits {
        #expect(try await asked(bgfetch, environment, "why", feed, says: text), "\(feed)")
      }
      #expect(try await asked(bgfetch, environment, "status", says: waits[0].1))
      #expect(try await asked(bgfetch, environment, "forecast", says: waits[2].1))
      // A named feed does not wait.
      try await bgfetch("run", "home", environment: environment, status: 0)
      #expect(server.requests.count == 1)
      // Without a bus nothing is known, and nothing waits.
      try await bgfetch("run", environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"], status: 0)
      #expect(server.requests.count >= 2)
      try await bgfetch("status", "--json", status: 0, output: "no-data")
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

  @Test(.enabled(if: hasBus), arguments: [ScriptedAnswer.Framing.length, .chunked()])
  func `a file that turns out to be large waits for an unmetered network, and is then completed`(
    framing: ScriptedAnswer.Framing
  ) async throws {
    let server = try ScriptedServer()
    let (content, waits) = (FileContent(16 << 20, seed: 7), "waits for an unmetered network (hotspot)")
    try await onLaptop(
      """
      feeds:
        planet: {url: "\(server.url("/feed"))", minimum-interval: every-run, download: {metered-max-size: 1MiB}}
      """
    ) { bgfetch, environment in
      // If the bus does not answer in a tenth of a second, the file is downloaded, and the next one is tried.
      var path = ""
      for number in 0..<200 {
        path = "/\(number).mp3"
        server.on(path, .body(.stream(content, 0..<content.size), framing: framing))
        server.on("/feed", .document(podcast([Episode(id: path, url: server.url(path))])))
        if try await bgfetch("run", "--json", environment: environment).output.contains(waits) { break }
      }
      try await bgfetch("transfers", environment: environment, status: 0, output: waits)
      #expect(server.requests(path).count == 1)
      #expect(server.bodyBytes(path) < content.size)
      try bgfetch.home.write("2", to: "metered")
      #expect(try await asked(bgfetch, environment, "transfers", "run", "--json", says: "transfer-placed"))
      #expect(server.requests(path).count == 2)
    }
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
    let bgfetch = try BuiltProgram(server, keys: "when: {network: unmetered, session: idle}")
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
      ("BAT0/capacity", "41"),
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
    #expect(try await run("why planet").output.contains("waits for mains power (battery 41%), at the latest"))
    #expect(try await run("status").output.contains("waits for mains power (battery 41%)"))
    try bgfetch.home.write("1\n", to: "power/AC/online")
    _ = try await run("run")
    #expect(server.requests.count == 1)
  }
}
