// The service manager and the session bus.

import Core
import Glibc
import TestKit
import Testing

@testable import Machine

@Suite struct ServiceManagerTests {
  let directory = TestDirectory()

  @Test(arguments: ["path", "abstract"])
  func `notices arrive in the form of sd_notify(3)`(kind: String) throws {
    let name = kind == "path" ? directory("notify") : "@" + directory("notify")
    let socket = NotifySocket(name)
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name])

    manager.notify(.ready, .status("two\nlines"))
    for notice in [ServiceManager.Notice.alive, .stopping, .reloading] { manager.notify(notice) }

    let heard = socket.heard
    #expect(heard.dropLast() == ["READY=1", "STATUS=two lines", "WATCHDOG=1", "STOPPING=1", "RELOADING=1"])
    let moment = try #require(heard.last?.split(separator: "=").last.flatMap { Int64($0) })
    #expect(moment / 1_000_000 <= WallClock.monotonicMilliseconds() / 1000)
    #expect(moment > 0)
  }

  @Test(arguments: ["", "/", "@", "relative", "vsock:2:1234", "/" + String(repeating: "a", count: 200)])
  func `an invalid address means no manager`(address: String) {
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000000"])

    manager.notify(.ready)

    #expect(manager.pulse == nil)
  }

  @Test func `a manager that listens and does not read delays nobody`() {
    let name = directory("notify")
    let socket = NotifySocket(name)
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name])
    let most = (try? readFile("/proc/sys/net/unix/max_dgram_qlen", limit: ByteCount(100))) ?? []
    let count = Int(String(decoding: most, as: UTF8.self).filter(\.isNumber)) ?? 10
    let start = WallClock.monotonicMilliseconds()

    for _ in 0..<count + 3 { manager.notify(.alive) }

    #expect(WallClock.monotonicMilliseconds() - start < 30_000)
    #expect(socket.heard.first == "WATCHDOG=1")
  }

  @Test func `a manager that no longer listens causes no delay`() {
    let start = WallClock.monotonicMilliseconds()

    ServiceManager(environment: ["NOTIFY_SOCKET": directory("gone")]).notify(.ready)

    #expect(WallClock.monotonicMilliseconds() - start < 30_000)
  }

  @Test(
    arguments: [
      ("30000000", nil, .seconds(15)), ("30000000", "4711", .seconds(15)), ("30000000", "4712", nil),
      ("1", nil, .nanoseconds(500)), ("0", nil, nil), ("-5", nil, nil), ("soon", nil, nil), (nil, nil, nil),
    ] as [(String?, String?, Duration?)])
  func `the pulse is half of the manager's limit, if the manager watches this process`(
    time: String?, process: String?, pulse: Duration?
  ) {
    var environment = ["NOTIFY_SOCKET": "/run/systemd/notify"]
    environment["WATCHDOG_USEC"] = time
    environment["WATCHDOG_PID"] = process

    #expect(ServiceManager(environment: environment, process: 4711).pulse == pulse)
  }
}

/// Finding the session bus by real sockets in a directory in place of /run/user.
@Suite struct SessionBusTests {
  let directory = TestDirectory()
  var runtime: String { directory("\(geteuid())") }

  init() {
    mkdir(directory("\(geteuid())"), 0o700)
  }

  private func bus(_ environment: [String: String] = [:]) -> SessionBus? {
    SessionBus.find(environment: environment, user: geteuid(), runtimeDirectories: directory.path)
  }

  @Test func `under cron the bus is found by its socket and both variables are added`() {
    bindSocket(runtime + "/bus")

    #expect(
      bus()?.additions == [
        "XDG_RUNTIME_DIR": runtime, "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtime)/bus",
      ])
  }

  @Test func `a runtime directory that is named is not added again`() {
    bindSocket(directory("bus"))

    #expect(
      bus(["XDG_RUNTIME_DIR": directory.path])?.additions
        == ["DBUS_SESSION_BUS_ADDRESS": "unix:path=" + directory("bus")])
  }

  @Test func `an address whose socket is there needs no additions but the runtime directory`() {
    bindSocket(directory("own bus"))
    let address = "unix:path=\(directory.path)/own%20bus,guid=0123"

    #expect(bus(["DBUS_SESSION_BUS_ADDRESS": address])?.additions == ["XDG_RUNTIME_DIR": runtime])
  }

  @Test(arguments: ["/no/such/bus", "/%ff", "/%zz"])
  func `an address that outlived its session or is damaged gives way to the bus that is there`(path: String) {
    bindSocket(runtime + "/bus")

    let found = bus(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)", "XDG_RUNTIME_DIR": runtime])

    #expect(found?.additions == ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtime)/bus"])
  }

  @Test func `without a socket there is no bus, unless the address needs none`() {
    #expect(bus() == nil)
    directory.file("\(geteuid())/bus", "")
    #expect(bus() == nil)
    #expect(bus(["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/tmp/dbus-x"]) != nil)
  }

  @Test func `another user's socket is not a bus`() {
    bindSocket(runtime + "/bus")

    #expect(
      SessionBus.find(
        environment: ["XDG_RUNTIME_DIR": runtime], user: geteuid() + 1, runtimeDirectories: directory.path)
        == nil)
  }

  @Test func `each socket of a session bus is a login of its own`() {
    bindSocket(runtime + "/bus")
    let first = bus()?.login
    let again = bus()?.login
    unlink(runtime + "/bus")
    bindSocket(runtime + "/bus")

    #expect(first != nil)
    #expect(first == again)
    #expect(first != bus()?.login)
  }

  @Test(arguments: [
    ("unix:path=/run/bus", "/run/bus"), ("unix:guid=1,path=/a%2fb", "/a/b"),
    ("unix:path=/a;unix:path=/b", "/a"),
    ("unix:abstract=/a", nil), ("tcp:host=a,port=1", nil), ("unix:path=/a%2", ""), ("unix:path=/%ff", ""),
    ("", nil),
  ])
  func `the socket of an address`(address: String, path: String?) {
    #expect(socketPath(inAddress: address) == path)
  }
}

/// Makes a socket that stays in the file system.
private func bindSocket(_ path: String) {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
  withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
