// The state of the machine that conditions are about: power supplies in sysfs, and networks and sessions on the system bus.
//
// The readers decide nothing about feeds: `Conditions` in Core has the rules.

internal import CLate
import CLinux
public import Core
import Glibc
import Synchronization

/// Looks at this machine when a condition needs it, at each part once.
public final class SurroundingsReader: Sendable {
  private let seen = Mutex((power: Surroundings?.none, bus: Surroundings?.none))

  public init() {}

  /// The facts that some conditions are about, as they were at the first look, or as they are now.
  public func look(for conditions: Conditions, again: Bool = false) -> Surroundings {
    seen.withLock { seen in
      if again { seen = (nil, nil) }
      if conditions.areAboutBus, seen.bus == nil {
        seen.bus = SystemBus.asked(\.surroundings)
      }
      if conditions.areAboutPower, seen.power == nil {
        seen.power = powerSupplies(in: "/sys/class/power_supply")
      }
      var all = seen.bus ?? Surroundings()
      (all.isOnMains, all.charge) = (seen.power?.isOnMains, seen.power?.charge)
      return all
    }
  }
}

/// Notices that the state of the machine may have changed, by events of devices and signals on the system bus.
///
/// While it exists, no other thread may look at the machine.
public final class SurroundingsWatch {
  private let devices = try? Descriptor(owning: systemCall { bgfetch_device_events() })
  private var bus: Descriptor?

  public init() {
    SystemBus.asked { $0.subscribe() }
    bus = try? Descriptor(owning: systemCall { bgfetch_bus_descriptor() })
  }

  deinit { bgfetch_bus_close() }

  /// Readable when there may be news.
  var sources: [Descriptor] { [devices, bus].compactMap(\.self) }

  /// Whether something has changed since the last call.
  func hasNews() -> Bool {
    var hasNews = false
    while let event = try? devices?.read(atMost: 8192), !event.isEmpty {
      // The rest of the devices have nothing to do with power.
      let texts = event.split(separator: 0)
      hasNews = hasNews || texts.contains { $0.elementsEqual("SUBSYSTEM=power_supply".utf8) }
    }
    let news = bus == nil ? 0 : bgfetch_bus_news()
    if news == BGFETCH_BUS_GONE { bus = nil }
    return hasNews || news == 1
  }
}

// MARK: Power

/// The power supplies of the machine itself ("Linux power supply class", sysfs-class-power).
func powerSupplies(in directory: String) -> Surroundings {
  var (states, capacities): (Set<String>, [Int]) = ([], [])
  var (now, full, batteries) = (0, 0, 0)
  var adapters: [(type: String, isOnline: Bool)] = []
  let names = (try? Descriptor.open(directory, O_RDONLY | O_DIRECTORY))?.names { $0.first != "." } ?? []
  for name in names {
    func value(_ file: String) -> String? { firstLine("\(directory)/\(name)/\(file)") }
    func number(_ file: String) -> Int? { value(file).flatMap { Int($0) } }
    // Batteries of mice and keyboards.
    guard let type = value("type"), value("scope") != "Device", number("present") != 0 else { continue }
    if type == "Battery" || type == "UPS" {
      batteries += 1
      states.insert(value("status") ?? "")
      if let percent = number("capacity"), (0...100).contains(percent) { capacities.append(percent) }
      let level = ["energy", "charge"].lazy.compactMap { unit in
        number(unit + "_now").flatMap { now in number(unit + "_full").map { (now: now, full: $0) } }
      }.first { $0.now >= 0 && $0.now <= $0.full && 1...1 << 40 ~= $0.full }
      if let level { (now, full) = (now + level.now, full + level.full) }
    } else if let online = number("online") {
      adapters.append((type, online > 0))
    }
  }
  var found = Surroundings()
  found.charge = capacities.isEmpty ? nil : capacities.reduce(0, +) / capacities.count
  // Several batteries count by their energy.
  if full > 0, batteries > 1 || capacities.isEmpty { found.charge = now * 100 / full }
  // A port through which the machine charges a telephone is online too, and its own battery then discharges.
  if batteries == 0 || adapters.contains(where: { $0 == ("Mains", true) }) || states.contains("Charging") {
    found.isOnMains = true
  } else if states.contains("Discharging") || adapters.contains(where: \.isOnline) {
    found.isOnMains = !states.contains("Discharging")
  } else if !adapters.isEmpty || !states.isDisjoint(with: ["Full", "Not charging"]) {
    found.isOnMains = adapters.isEmpty
  }
  return found
}

// MARK: The system bus

/// The answers of services on the system bus, within a time for all of them together.
struct SystemBus {
  /// A structure, or an entry of a dictionary: its key and its values.
  typealias Record = ArraySlice<String>

  /// Calls a method of a service with a text, and returns the values of the reply; nil without one.
  let ask:
    (_ service: String, _ path: String, _ interface: String, _ method: String, _ text: String) -> [Record]?

  /// Until when the bus is not asked, because it was too slow: it delays a run only once.
  private static let pause = Mutex(ContinuousClock.now)

  /// Asks the bus of this machine, for a tenth of a second.
  static func asked<Answer>(_ body: (SystemBus) -> Answer) -> Answer {
    pause.withLock { pause in
      let end = ContinuousClock.now + .milliseconds(100)
      var hasBus = pause <= .now
      let bus = SystemBus { service, path, interface, method, argument in
        let left = end - .now
        guard hasBus, left > .zero else { return nil }
        var text = [CChar](repeating: 0, count: 64 * 1024)
        let count = Int(
          bgfetch_bus_ask(
            service, path, interface, method, argument, UInt64(left / .microseconds(1)), &text, text.count))
        hasBus = count != BGFETCH_BUS_GONE
        return count < 0 ? nil : text.prefix(count).split(separator: 0x1E).map(record)
      }
      defer { if end < .now { pause = .now + .seconds(600) } }
      return body(bus)
    }
  }

  private static func record(_ text: ArraySlice<CChar>) -> Record {
    text.split(separator: 0x1F, omittingEmptySubsequences: false).dropFirst().map {
      String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }[...]
  }

  /// Asks for the signals of services that say that the network or a session has changed.
  func subscribe() {
    let service = "org.freedesktop.DBus"
    for rule in [
      "type='signal',path='/org/freedesktop/NetworkManager'",
      "type='signal',interface='net.connman.Manager',member='ServicesChanged'",
      "type='signal',path_namespace='/org/freedesktop/login1'",
    ] {
      _ = ask(service, "/org/freedesktop/DBus", service, "AddMatch", rule)
    }
  }

  var surroundings: Surroundings {
    var found = Surroundings()
    if let network = networkManager ?? connMan { (found.isMetered, found.networks) = network }
    found.isInUse = isInUse
    return found
  }

  /// All properties of an object, by name; none if there is no answer.
  private func properties(_ service: String, _ path: String, _ interface: String) -> [String: Record] {
    table(ask(service, path, "org.freedesktop.DBus.Properties", "GetAll", interface) ?? [])
  }

  private func table(_ all: some Sequence<Record>) -> [String: Record] {
    Dictionary(all.map { ($0.first ?? "", $0.dropFirst()) }, uniquingKeysWith: { first, _ in first })
  }

  /// The network by NetworkManager (nm-dbus-types); nil if it does not run.
  ///
  /// It is the primary connection, and for a VPN the connections that may carry it.
  private var networkManager: (isMetered: Bool?, names: [String])? {
    func properties(_ path: String, _ kind: String = "") -> [String: Record] {
      self.properties("org.freedesktop.NetworkManager", path, "org.freedesktop.NetworkManager" + kind)
    }
    let state = properties("/org/freedesktop/NetworkManager")
    guard !state.isEmpty else { return nil }
    // Hostile answers may name any number of objects.
    let links = (state["ActiveConnections"] ?? []).prefix(8).map {
      (path: $0, properties($0, ".Connection.Active"))
    }
    func isVirtual(_ link: [String: Record]) -> Bool {
      link["Vpn"] == ["1"] || ["vpn", "wireguard", "tun", "ip-tunnel"].contains(link["Type"]?.first)
    }
    var used = links.filter { [$0.path] == state["PrimaryConnection"] }
    if used.isEmpty { used = links.filter { $0.1["Default"] == ["1"] } }
    if let vpn = used.first, isVirtual(vpn.1) {
      let base = links.filter { [$0.path] == vpn.1["SpecificObject"] }
      used = (base.isEmpty ? links.filter { !isVirtual($0.1) } : base) + used
    }
    var names = used.compactMap { $0.1["Id"]?.first }
    var meters: Set<Bool?> = []
    for (_, link) in used {
      for device in (link["Devices"] ?? []).prefix(8) {
        meters.insert(isMetered(properties(device, ".Device")["Metered"]))
      }
      guard let point = link["SpecificObject"]?.first, link["Type"] == ["802-11-wireless"] else { continue }
      names += properties(point, ".AccessPoint")["Ssid"] ?? []
    }
    let own = isMetered(state["Metered"])
    let isBelow = meters.contains(false) ? false : meters.contains(true) ? true : nil
    return (own == true || isBelow == true ? true : own ?? isBelow, names.filter { !$0.isEmpty })
  }

  /// The network by ConnMan (its service-api.txt): the first connected service, and for a VPN the first one below it; nil if
  /// there is none.
  ///
  /// It does not know which networks are metered, but which are those of telephones.
  private var connMan: (isMetered: Bool?, names: [String])? {
    // A service is its path, and then its properties.
    let services = (ask("net.connman", "/", "net.connman.Manager", "GetServices", "") ?? [])
      .split { $0.count == 1 && $0.first?.hasPrefix("/") ?? false }
      .map(table).filter { ["ready", "online"].contains($0["State"]?.first) }
    guard let first = services.first else { return nil }
    let carrier = services.first { $0["Type"] != ["vpn"] }
    let isMetered = ["cellular", "bluetooth"].contains(carrier?["Type"]?.first) ? true : nil
    let used = [carrier, first["Type"] == ["vpn"] ? first : nil]
    return (isMetered, used.compactMap { $0?["Name"]?.first }.filter { !$0.isEmpty })
  }

  /// `NMMetered`: yes and guess-yes, no and guess-no.
  private func isMetered(_ value: Record?) -> Bool? {
    value.flatMap { ["1": true, "3": true, "2": false, "4": false][$0.first ?? ""] }
  }

  /// Whether a session of the user is in the foreground and not idle, by logind (org.freedesktop.login1).
  private var isInUse: Bool? {
    let (service, path) = ("org.freedesktop.login1", "/org/freedesktop/login1")
    let all = ask(service, path, service + ".Manager", "ListSessions", "")
    let own = all?.filter { $0.count == 5 && (getuid() == 0 || $0.contains("\(getuid())")) }
    return own?.prefix(8).contains { session in
      let state = properties(service, session.last ?? "", service + ".Session")
      // Others are those of cron, and of the screen for logging in.
      return state["Class"]?.first?.hasPrefix("user") ?? true && state["Active"] == ["1"]
        && state["IdleHint"] != ["1"]
    }
  }
}
