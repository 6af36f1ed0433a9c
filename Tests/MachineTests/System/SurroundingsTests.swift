// Power supplies of real machines, and the answers of NetworkManager and logind.

import Core
import Glibc
import Testing

@testable import Machine

@Suite struct SurroundingsTests {
  /// Machines, each with its power supplies and what they say.
  ///
  /// A supply is its name with its type, and its other files with their contents.
  private static let machines: [(name: String, supplies: String, isOnMains: Bool?, charge: Int?)] = [
    ("a desktop", "", true, nil),
    (
      "a desktop with a mouse and a UPS that is full",
      "hid Battery, scope Device, capacity 5, status Discharging; ups UPS, capacity 100, status Full", true,
      100
    ),
    ("a UPS without mains", "ups UPS, capacity 80, status Discharging", false, 80),
    (
      "a ThinkPad with two batteries",
      "AC Mains, online 0; "
        + "BAT0 Battery, present 1, status Unknown, capacity 90, energy_now 18000000, energy_full 20000000; "
        + "BAT1 Battery, present 1, status Discharging, capacity 10, energy_now 6000000, energy_full 60000000",
      false, 30
    ),
    ("the same on its dock", "AC Mains, online 1; BAT0 Battery, status Discharging, capacity 90", true, 90),
    (
      "a MacBook, which counts charge",
      "ADP1 Mains, online 0; BAT0 Battery, status Discharging, charge_now 2050, charge_full 5000", false, 41
    ),
    (
      "a Chromebook at a USB-C charger",
      "port0 USB, online 1, usb_type C [PD] PD_PPS; port1 USB, online 0; "
        + "sbs Battery, status Charging, capacity 55, present 1", true, 55
    ),
    ("the same full", "port0 USB, online 1; sbs Battery, status Full, capacity 100", true, 100),
    ("the same as a charger", "port0 USB, online 1; sbs Battery, status Discharging, capacity 55", false, 55),
    ("one with a threshold", "AC Mains, online 1; BAT0 Battery, status Not charging, capacity 80", true, 80),
    ("unplugged a moment ago", "AC Mains, online 0; BAT0 Battery, status Full, capacity 100", false, 100),
    ("an empty battery slot", "BAT1 Battery, present 0; AC Mains, online 1", true, nil),
    (
      "a phone on a wireless charger",
      "wls Wireless, online 1; battery Battery, status Not charging, capacity 77", true, 77
    ),
    ("a battery alone that charges", "b Battery, status Charging", true, nil),
    ("a battery alone that says nothing", "b Battery, status Unknown", nil, nil),
    (
      "odd values",
      "AC Mains, online maybe; BAT0 Battery, status \u{1}, capacity 4000, energy_now 9223372036854775807, "
        + "energy_full 9223372036854775807", nil, nil
    ),
    ("a full charge of nothing", "BAT0 Battery, charge_now -5, charge_full 0, status ", nil, nil),
    ("no type", "x, online 0; y ; z, scope Device", true, nil),
  ]

  @Test(arguments: machines.indices)
  func `power supplies of the machine itself say whether it is on mains, and its charge`(row: Int) throws {
    let machine = Self.machines[row]
    let directory = TestDirectory()
    for supply in machine.supplies.split(separator: "; ") {
      var files = supply.split(separator: ", ").map {
        $0.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      }
      let name = files[0][0]
      files[0][0] = "type"
      try makePrivateDirectory(directory(String(name)))
      for file in files where file.count == 2 { directory.file("\(name)/\(file[0])", file[1] + "\n") }
    }

    let found = powerSupplies(in: directory.path)

    #expect(found.isOnMains == machine.isOnMains, "\(machine.name)")
    #expect(found.charge == machine.charge, "\(machine.name)")
  }

  @Test func `without power supplies a machine is on mains`() throws {
    #expect(powerSupplies(in: "/nonexistent").isOnMains == true)
  }

  // MARK: The bus

  private typealias Objects = [String: [String: [String]]]

  /// A bus on which objects have properties, and which answers calls by the names of their methods.
  private static func bus(_ objects: Objects, _ calls: [String: [[String]]] = [:]) -> SystemBus {
    SystemBus { _, path, _, method, _ in
      (method == "GetAll" ? objects[path]?.map { [$0.key] + $0.value } : calls[method])?.map { $0[...] }
    }
  }

  private static let manager = "/org/freedesktop/NetworkManager"
  private static func network(
    metered: String?, primary: String = "/a/wifi", _ devices: [String: String] = [:],
    vpn: [String: [String]] = ["Type": ["wireguard"]]
  ) -> SystemBus {
    var objects: Objects = [
      manager: ["PrimaryConnection": [primary], "ActiveConnections": ["/a/cable", "/a/vpn", "/a/wifi"]],
      "/a/wifi": [
        "Id": ["hotspot"], "Type": ["802-11-wireless"], "Devices": ["/d/wifi"], "SpecificObject": ["/p/1"],
      ],
      "/a/cable": ["Id": ["Wired 1"], "Type": ["802-3-ethernet"], "Devices": ["/d/cable"]],
      "/a/vpn": ["Id": ["work"], "Devices": ["/d/vpn"], "SpecificObject": ["/"]].merging(vpn) { $1 },
      "/p/1": ["Ssid": ["Joe's phone"]],
    ]
    if let metered { objects[manager]?["Metered"] = [metered] }
    for (device, value) in devices { objects["/d/" + device] = ["Metered": [value]] }
    return bus(objects)
  }

  private static var networks: [(bus: SystemBus, isMetered: Bool?, names: [String])] {
    [
      (network(metered: "1"), true, ["hotspot", "Joe's phone"]),
      (network(metered: "3"), true, ["hotspot", "Joe's phone"]),
      (network(metered: "2"), false, ["hotspot", "Joe's phone"]),
      (network(metered: "4"), false, ["hotspot", "Joe's phone"]),
      (network(metered: "0"), nil, ["hotspot", "Joe's phone"]),
      (network(metered: nil), nil, ["hotspot", "Joe's phone"]),
      (network(metered: "yes"), nil, ["hotspot", "Joe's phone"]),
      // A network that is not used does not count.
      (network(metered: "4", primary: "/a/cable", ["wifi": "1"]), false, ["Wired 1"]),
      (network(metered: nil, ["wifi": "3"]), true, ["hotspot", "Joe's phone"]),
      (network(metered: nil, ["wifi": "2"]), false, ["hotspot", "Joe's phone"]),
      // A VPN is metered if the network below it is.
      (
        network(
          metered: "4", primary: "/a/vpn", ["wifi": "1"], vpn: ["Vpn": ["1"], "SpecificObject": ["/a/wifi"]]),
        true, ["hotspot", "work", "Joe's phone"]
      ),
      (
        network(
          metered: "4", primary: "/a/vpn", ["wifi": "1"], vpn: ["Vpn": ["1"], "SpecificObject": ["/a/cable"]]),
        false, ["Wired 1", "work"]
      ),
      // Which of two networks it uses is not known.
      (
        network(metered: "0", primary: "/a/vpn", ["wifi": "1", "cable": "4"]), false,
        ["Wired 1", "hotspot", "work", "Joe's phone"]
      ),
      (
        network(metered: "0", primary: "/a/vpn", ["wifi": "1", "cable": "1", "vpn": "0"]), true,
        ["Wired 1", "hotspot", "work", "Joe's phone"]
      ),
      (bus([manager: ["Metered": ["1"]]]), true, []),
      (
        bus([
          manager: ["Metered": ["1"], "ActiveConnections": ["/a/1"]],
          "/a/1": ["Default": ["1"], "Id": ["x"]],
        ]), true, ["x"]
      ),
      (
        bus([manager: ["": [], "Metered": [], "ActiveConnections": ["", "/"], "PrimaryConnection": ["/"]]]),
        nil, []
      ),
      (bus([:]), nil, []),
    ]
  }

  @Test(arguments: networks.indices)
  func `the network in use, and what carries a VPN, say whether it is metered`(row: Int) {
    let (bus, isMetered, names) = Self.networks[row]

    #expect(bus.surroundings.isMetered == isMetered)
    #expect(bus.surroundings.networks == names)
  }

  /// Services of ConnMan: each a path and its properties.
  private static let services: [(services: [[[String]]], isMetered: Bool?, names: [String])] = {
    func service(_ type: String, _ name: String, _ state: String = "ready") -> [[String]] {
      [
        ["/net/connman/service/\(name)"], ["Type", type], ["State", state], ["Error"], ["Name", name],
        ["Provider"], ["Type", "openvpn"], ["Name", "x"],
      ]
    }
    let (home, phone, vpn) = (
      service("wifi", "home"), service("cellular", "phone", "online"), service("vpn", "work")
    )
    return [
      ([home, phone], nil, ["home"]), ([phone, home], true, ["phone"]),
      ([service("bluetooth", "phone")], true, ["phone"]), ([vpn, phone, home], true, ["phone", "work"]),
      ([vpn, home, phone], nil, ["home", "work"]),
      ([service("cellular", "phone", "idle"), home], nil, ["home"]), ([vpn], nil, ["work"]),
      ([service("wifi", "", "online")], nil, []), ([service("wifi", "x", "failure")], nil, []),
      ([[["Type"], ["State", "online"], []]], nil, []), ([], nil, []),
    ]
  }()

  @Test(arguments: services.indices)
  func `without NetworkManager the first connected service of ConnMan is the network`(row: Int) {
    let (services, isMetered, names) = Self.services[row]
    let bus = Self.bus([:], ["GetServices": services.flatMap(\.self)])

    #expect(bus.surroundings.isMetered == isMetered)
    #expect(bus.surroundings.networks == names)
  }

  /// Properties of the only session, or none, and whether the user is there.
  private static let sessions: [([String: [String]]?, Bool?)] = [
    (["Active": ["1"], "IdleHint": ["0"], "Class": ["user"]], true), (["Active": ["1"]], true),
    (["Active": ["1"], "IdleHint": ["1"]], false), (["Active": ["0"], "IdleHint": ["0"]], false),
    (["Active": ["1"], "Class": ["greeter"]], false), (["Active": ["1"], "Class": ["background"]], false),
    (["Active": ["1"], "Class": ["user-early"]], true), ([:], false),
  ]

  @Test(arguments: sessions.indices)
  func `a session that is in the foreground and not idle says that the user is there`(row: Int) {
    let (properties, isInUse) = Self.sessions[row]
    let list = [
      ["c1", "\(getuid())", "me", "seat0", "/s/1"], ["c2", "4294967294", "x", "", "/s/2"], ["odd"],
    ]
    let bus = Self.bus(["/s/1": properties ?? [:], "/s/2": [:]], ["ListSessions": list])

    #expect(bus.surroundings.isInUse == isInUse)
  }

  @Test func `without logind it is not known whether the user is there`() {
    #expect(Self.bus([:]).surroundings.isInUse == nil)
    #expect(Self.bus([:], ["ListSessions": []]).surroundings.isInUse == false)
  }
}
