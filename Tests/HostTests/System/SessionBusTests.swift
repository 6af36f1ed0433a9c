import Glibc
import Testing

@testable import Host

/// Finding the session bus by real sockets in a directory that stands for /run/user.
@Suite struct SessionBusTests {
  let directory = TestDirectory()
  var runtime: String { directory("\(geteuid())") }

  init() {
    mkdir(directory("\(geteuid())"), 0o700)
  }

  private func bus(_ environment: [String: String] = [:]) -> SessionBus? {
    SessionBus.find(environment: environment, user: geteuid(), runtimeDirectories: directory.path)
  }

  @Test func `without socket and address there is no bus`() {
    #expect(bus() == nil)
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

  @Test func `an address that outlived its session gives way to the bus that is there`() {
    bindSocket(runtime + "/bus")

    let found = bus(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/no/such/bus", "XDG_RUNTIME_DIR": runtime])

    #expect(found?.additions == ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtime)/bus"])
  }

  @Test func `an address of another kind is believed`() {
    #expect(bus(["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/tmp/dbus-x"]) != nil)
  }

  @Test func `a file in the socket's place is no bus`() {
    directory.file("\(geteuid())/bus", "")

    #expect(bus() == nil)
  }

  @Test func `another user's socket is no bus`() {
    bindSocket(runtime + "/bus")

    #expect(
      SessionBus.find(
        environment: ["XDG_RUNTIME_DIR": runtime], user: geteuid() + 1, runtimeDirectories: directory.path)
        == nil)
  }

  @Test func `the login is the same for one socket and another for the next`() {
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
    ("unix:abstract=/a", nil), ("tcp:host=a,port=1", nil), ("unix:path=/a%2", nil), ("", nil),
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
