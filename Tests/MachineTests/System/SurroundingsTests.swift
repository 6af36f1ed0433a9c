// Power supplies of real machines, the answers of NetworkManager, and what commands say.

import Core
import Glibc
import TestKit
import Testing

@testable import Machine

@Suite struct SurroundingsTests {
  /// Machines, each with its power supplies and what they say.
  ///
  /// A supply is its name with its type, and its other files with their contents.
  private static let machines: [(name: String, supplies: String, isOnMains: Bool?)] = [
    ("a desktop", "", true),
    (
      "a desktop with a mouse and a UPS that is full",
      "hid Battery, scope Device, status Discharging; ups UPS, status Full", true
    ),
    ("a UPS without mains", "ups UPS, status Discharging", false),
    (
      "a ThinkPad with two batteries",
      "AC Mains, online 0; BAT0 Battery, present 1, status Unknown; BAT1 Battery, present 1, status Discharging",
      false
    ),
    ("the same on its dock", "AC Mains, online 1; BAT0 Battery, status Discharging", true),
    (
      "a Chromebook at a USB-C charger",
      "port0 USB, online 1, usb_type C [PD] PD_PPS; port1 USB, online 0; sbs Battery, status Charging, present 1",
      true
    ),
    ("the same full", "port0 USB, online 1; sbs Battery, status Full", true),
    ("the same as a charger", "port0 USB, online 1; sbs Battery, status Discharging", false),
    ("one with a threshold", "AC Mains, online 1; BAT0 Battery, status Not charging", true),
    ("unplugged a moment ago", "AC Mains, online 0; BAT0 Battery, status Full", false),
    ("an empty battery slot", "BAT1 Battery, present 0; AC Mains, online 1", true),
    ("a phone on a wireless charger", "wls Wireless, online 1; battery Battery, status Not charging", true),
    ("a battery alone that charges", "b Battery, status Charging", true),
    ("a battery alone that says nothing", "b Battery, status Unknown", nil),
    ("odd values", "AC Mains, online maybe; BAT0 Battery, status \u{1}", nil),
    ("no type", "x, online 0; y ; z, scope Device", true),
  ]

  @Test(arguments: machines.rows)
  func `power supplies of the machine itself say whether it is on mains`(row: TableRow) throws {
    let machine = Self.machines[row.index]
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

    #expect(isOnMains(by: directory.path) == machine.isOnMains, "\(machine.name)")
  }

  @Test func `without power supplies a machine is on mains`() throws {
    #expect(isOnMains(by: "/nonexistent") == true)
  }

  // MARK: The bus

  private typealias Objects = [String: [String: [String]]]

  /// A bus on which objects have properties.
  private static func bus(_ objects: Objects) -> SystemBus {
    SystemBus { _, path, _, _, _ in objects[path]?.map { ([$0.key] + $0.value)[...] } }
  }

  private static let manager = "/org/freedesktop/NetworkManager"

  /// A machine with a Wi-Fi, a cable and a tunnel, of which one carries the default route.
  ///
  /// - Parameter devices: what the devices say of a meter.
  private static func network(
    _ metered: String?, primary: String = "/a/wifi", _ devices: [String: String],
    tunnel: String = "wireguard", _ change: (inout Objects) -> Void = { _ in }
  ) -> SystemBus {
    var objects: Objects = [
      manager: ["PrimaryConnection": [primary], "ActiveConnections": ["/a/cable", "/a/vpn", "/a/wifi"]],
      "/a/wifi": ["Id": ["hotspot"], "Type": ["802-11-wireless"], "Devices": ["/d/wifi"]],
      "/a/cable": ["Id": ["Wired 1"], "Type": ["802-3-ethernet"], "Devices": ["/d/cable"]],
      "/a/vpn": ["Id": ["work"], "Devices": ["/d/vpn"], "Type": [tunnel]],
    ]
    if let metered { objects[manager]?["Metered"] = [metered] }
    for (device, value) in devices { objects["/d/" + device] = ["Metered": [value]] }
    change(&objects)
    return bus(objects)
  }

  private struct Row {
    let name: String
    let bus: SystemBus
    let isMetered: Bool?
    let network: String?

    init(_ name: String, _ bus: SystemBus, _ isMetered: Bool?, _ network: String?) {
      self.name = name
      self.bus = bus
      self.isMetered = isMetered
      self.network = network
    }
  }

  private static let below = ["wifi": "1", "cable": "4", "vpn": "4"]
  private static let unmetered = ["wifi": "4", "cable": "2", "vpn": "4"]

  private static var networks: [Row] {
    let words = [("1", true), ("3", true), ("2", false), ("4", false)].map { value, isMetered in
      Row("NMMetered \(value)", network(value, ["wifi": value]), isMetered, "hotspot")
    }
    // Any of these may lie over the Wi-Fi.
    let tunnels = ["vpn", "wireguard", "tun", "ip-tunnel", "bridge", "bond", "vlan", "pppoe", "new"]
    return words
      + tunnels.map { kind in
        Row("\(kind) over a meter", network("4", primary: "/a/vpn", below, tunnel: kind), true, "hotspot")
      } + [
        Row("NMMetered unknown", network("0", ["wifi": "0"]), nil, "hotspot"),
        Row("NMMetered of another type", network("yes", ["wifi": "yes"]), nil, "hotspot"),
        Row("a device that does not answer", network("2", [:]), nil, "hotspot"),
        Row(
          "a manager that does not know, and a device that does", network("0", ["wifi": "2"]), false,
          "hotspot"),
        Row("a manager alone", bus([manager: ["Metered": ["1"]]]), true, nil),
        Row("a manager alone that says no", bus([manager: ["Metered": ["2"]]]), false, nil),
        Row("a network beside the default route", network("4", primary: "/a/cable", below), false, "Wired 1"),
        Row(
          "two default routes",
          network("4", primary: "/a/cable", below) { $0["/a/wifi"]?["Default6"] = ["1"] }, true, "hotspot"),
        Row("a tunnel over what has no meter", network("4", primary: "/a/vpn", unmetered), false, "work"),
        Row(
          "a tunnel, and a part of the answers", network("4", primary: "/a/vpn", ["cable": "4", "vpn": "4"]),
          nil,
          "work"),
        Row(
          "a tunnel, and a connection that does not answer",
          network("4", primary: "/a/vpn", unmetered) { $0["/a/wifi"] = nil }, nil, "work"),
        Row(
          "no primary connection", network("0", primary: "/", below), true, "hotspot"),
        Row(
          "values that are missing",
          bus([manager: ["": [], "Metered": [], "ActiveConnections": ["", "/"], "PrimaryConnection": ["/"]]]),
          nil,
          nil),
        Row("a text instead of properties", bus([manager: ["yes": []]]), nil, nil),
        Row("no answer", bus([:]), nil, nil),
      ]
  }

  @Test
  func `a network is metered if anything is that may carry the default route, and unmetered if all is known`()
  {
    for row in Self.networks {
      #expect(row.bus.network.isMetered == row.isMetered, "\(row.name)")
      #expect(row.bus.network.name == row.network, "\(row.name)")
    }
  }

  // MARK: Commands

  /// Commands, and what they say.
  private static let commands: [(words: [String], answer: CommandAnswer)] = [
    (["/bin/sh", "-c", "exit 0"], .yes), (["/bin/true", "; false"], .yes),
    (["/bin/sh", "-c", "exit 3"], .no("exited(3)")),
    (["/bin/sh", "-c", "kill -9 $$"], .no("signalled(9)")), (["/nonexistent"], .no("none")),
    (["/bin/sh", "-c", "test \"$WORD\" = here && test \"$(pwd)\" = /"], .yes),
  ]

  private func ask(_ reader: SurroundingsReader, _ commands: [[String]]) async {
    await reader.ask(Set(commands), environment: ["WORD": "here"], directory: "/") { ending in
      if case .couldNotStart = ending { "none" } else { "\(ending)" }
    }
  }

  private func answer(_ reader: SurroundingsReader, _ words: [String]) -> CommandAnswer? {
    var conditions = Conditions()
    conditions.command = words
    return reader.look(for: conditions).answer
  }

  @Test func `a command says yes by its exit status 0, and no by everything else`() async {
    let reader = SurroundingsReader()
    #expect(answer(reader, ["/bin/true"]) == nil)

    await ask(reader, Self.commands.map(\.words))

    for (words, expected) in Self.commands {
      #expect(answer(reader, words) == expected, "\(words)")
    }
  }

  @Test func `the same words are run once, until the machine may have changed`() async {
    let directory = TestDirectory()
    let reader = SurroundingsReader()
    let words = ["/bin/sh", "-c", "echo >> '\(directory.path)/runs'"]
    func runs() -> Int { (try? readFile(directory("runs"), limit: ByteCount(1000)).count) ?? 0 }

    for _ in 0..<3 { await ask(reader, [words]) }
    #expect(runs() == 1)
    reader.forget(keepingAnswers: true)
    await ask(reader, [words])
    #expect(runs() == 1)
    reader.forget()
    await ask(reader, [words])
    #expect(runs() == 2)
  }

  @Test func `many commands are asked`() async {
    let reader = SurroundingsReader()
    let all = (0..<50).map { ["/bin/sh", "-c", "exit \($0 % 2)"] + ["\($0)"] }

    await ask(reader, all)

    #expect(all.filter { answer(reader, $0) == .yes }.count == 25)
    #expect(all.filter { answer(reader, $0) == .no("exited(1)") }.count == 25)
  }

  @Test func `a cancelled task ends a command, and leaves it without an answer`() async {
    let reader = SurroundingsReader()
    let task = Task { await ask(reader, [["/bin/sleep", "1000"]]) }
    task.cancel()

    await task.value

    #expect(answer(reader, ["/bin/sleep", "1000"]) == nil)
  }
}
