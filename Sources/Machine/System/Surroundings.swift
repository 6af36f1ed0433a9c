// The state of the machine that conditions are about: power supplies in sysfs, the network on the system bus, and what commands
// say.
//
// The readers decide nothing about feeds: `Conditions` in Core has the rules.

internal import CLate
import CLinux
public import Core
import Glibc
import Synchronization

/// Looks at this machine when a condition needs it; what was seen a moment ago is not looked at again.
public final class SurroundingsReader: Sendable {
  /// A fact, and when it was found.
  private struct Fact<Value: Sendable>: Sendable {
    let value: Value
    let found = ContinuousClock.now

    /// The value if it is new enough.
    func value(within age: Duration) -> Value? { ContinuousClock.now - found < age ? value : nil }
  }

  private struct Seen {
    var isOnMains: Fact<Bool?>?
    var network: Fact<(isMetered: Bool?, name: String?)>?
    var answers: [[String]: Fact<CommandAnswer>] = [:]
  }

  private let seen = Mutex(Seen())

  /// How old the power supplies and the network may be: as long as several files start together.
  private static let shortAge = Duration.seconds(3)
  /// How old the answer of a command may be, which is less than the time between two looks of `run --watch`.
  private static let longAge = Duration.seconds(60)
  /// How long a command may take at most.
  public static let patience = Interval.seconds(10)

  public init() {}

  /// The facts that some conditions are about, with the last answer of their command.
  public func look(for conditions: Conditions) -> Surroundings {
    seen.withLock { seen in
      var found = Surroundings()
      if conditions.power == .ac {
        let known = seen.isOnMains?.value(within: Self.shortAge)
        found.isOnMains = known ?? isOnMains(by: "/sys/class/power_supply")
        if known == nil { seen.isOnMains = Fact(value: found.isOnMains) }
      }
      if conditions.network == .unmetered {
        let known = seen.network?.value(within: Self.shortAge)
        let network = known ?? SystemBus.asked(\.network)
        if known == nil { seen.network = Fact(value: network) }
        found.isMetered = network.isMetered
        found.network = network.name
      }
      found.answer = seen.answers[conditions.command]?.value
      return found
    }
  }

  /// Runs commands that were not asked within the last minute, without a shell; a cancelled task leaves their old answers.
  ///
  /// - Parameters:
  ///   - limit: how long a command may take.
  ///   - words: how a command ended, in words.
  public func ask(
    _ commands: Set<[String]>, within limit: Interval = patience, environment: [String: String],
    directory: String, words: @escaping @Sendable (CommandEnding) -> String
  ) async {
    let waiting = seen.withLock { seen in
      commands.filter { seen.answers[$0]?.value(within: Self.longAge) == nil }
    }
    await withTaskGroup(of: Void.self) { group in
      for command in waiting {
        group.addTask { await self.ask(command, limit, environment, directory, words) }
      }
    }
  }

  private func ask(
    _ words: [String], _ limit: Interval, _ environment: [String: String], _ directory: String,
    _ text: @Sendable (CommandEnding) -> String
  ) async {
    guard let program = words.first else { return }
    let command = Command(
      program, Array(words.dropFirst()), environment: environment, directory: directory,
      limit: .seconds(limit.seconds), grace: .seconds(1))
    let ending = await command.run().ending
    guard ending != .cancelled else { return }
    let answer = ending == .exited(0) ? CommandAnswer.yes : .no(text(ending))
    seen.withLock { $0.answers[words] = Fact(value: answer) }
  }

  /// Forgets the power supplies and the network, and perhaps what commands said: the machine may have changed.
  public func forget(keepingAnswers keepsAnswers: Bool = false) {
    seen.withLock { $0 = Seen(answers: keepsAnswers ? $0.answers : [:]) }
  }
}

/// Notices that the state of the machine may have changed, by events of devices and signals on the system bus.
///
/// While it exists, no other thread may look at the machine.
public final class SurroundingsWatch {
  private let devices = try? Descriptor(owning: systemCall { bgfetch_device_events() })
  private var bus: Descriptor?

  public init() {}

  deinit { bgfetch_bus_close() }

  /// Asks for signals, unless that was done over the present connection to the bus; returns whether signals come only from now
  /// on, so that an earlier change was not noticed.
  ///
  /// The bus may have restarted, and a look that waited too long for an answer closes its connection.
  public func subscribe() -> Bool {
    guard bus == nil || !bgfetch_bus_is_watched() else { return false }
    bus = nil
    guard SystemBus.asked({ $0.subscribe() }) else { return false }
    bus = try? Descriptor(owning: systemCall { bgfetch_bus_descriptor() })
    return bus != nil
  }

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
    guard bus != nil else { return hasNews }
    let news = bgfetch_bus_news()
    if news == BGFETCH_BUS_GONE { bus = nil }
    // Nothing is known of the network without the bus.
    return hasNews || news != 0
  }
}

// MARK: Power

/// Whether the machine runs on mains power, by its own power supplies ("Linux power supply class", sysfs-class-power); nil if that
/// is not known.
func isOnMains(by directory: String) -> Bool? {
  var states: Set<String> = []
  var hasBattery = false
  var adapters: [(type: String, isOnline: Bool)] = []
  let names = (try? Descriptor.open(directory, O_RDONLY | O_DIRECTORY))?.names { $0.first != "." } ?? []
  for name in names {
    func value(_ file: String) -> String? { firstLine("\(directory)/\(name)/\(file)") }
    func number(_ file: String) -> Int? { value(file).flatMap { Int($0) } }
    // Batteries of mice and keyboards.
    guard let type = value("type"), value("scope") != "Device", number("present") != 0 else { continue }
    if type == "Battery" || type == "UPS" {
      hasBattery = true
      states.insert(value("status") ?? "")
    } else if let online = number("online") {
      adapters.append((type, online > 0))
    }
  }
  // A port through which the machine charges a telephone is online too, and its own battery then discharges.
  if !hasBattery || adapters.contains(where: { $0 == ("Mains", true) }) || states.contains("Charging") {
    return true
  }
  if states.contains("Discharging") { return false }
  if adapters.contains(where: \.isOnline) { return true }
  return adapters.isEmpty && states.isDisjoint(with: ["Full", "Not charging"]) ? nil : adapters.isEmpty
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
  /// The time for all questions of one look, which a busy machine needs.
  private static let patience = Duration.seconds(1)
  private static let rest = Duration.seconds(60)
  /// The longest answer: NetworkManager names all devices, and a machine with containers has thousands.
  private static let longestAnswer = 4 << 20

  /// Asks the bus of this machine.
  static func asked<Answer>(_ body: (SystemBus) -> Answer) -> Answer {
    pause.withLock { pause in
      let end = ContinuousClock.now + patience
      var hasBus = pause <= .now
      let bus = SystemBus { service, path, interface, method, argument in
        let left = end - .now
        guard hasBus, left > .zero else { return nil }
        var length = 0
        // Not filled before, so that an answer takes only the memory that it needs.
        let text = [CChar](unsafeUninitializedCapacity: longestAnswer) { buffer, count in
          length = Int(
            bgfetch_bus_ask(
              service, path, interface, method, argument, UInt64(left / .microseconds(1)), buffer.baseAddress,
              buffer.count))
          count = max(0, length)
        }
        hasBus = length != BGFETCH_BUS_GONE
        return length < 0 ? nil : text.split(separator: 0x1E).map(record)
      }
      defer { if end < .now { pause = .now + rest } }
      return body(bus)
    }
  }

  private static func record(_ text: ArraySlice<CChar>) -> Record {
    text.split(separator: 0x1F, omittingEmptySubsequences: false).dropFirst().map {
      String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }[...]
  }

  /// Asks for the signals by which NetworkManager says that the network, or a device that carries it, has changed; false if the
  /// bus did not take that.
  func subscribe() -> Bool {
    let service = "org.freedesktop.DBus"
    return [
      "type='signal',path='\(Self.manager)'",
      "type='signal',path_namespace='\(Self.manager)/Devices',member='PropertiesChanged',"
        + "arg0='org.freedesktop.NetworkManager.Device'",
    ].allSatisfy { ask(service, "/org/freedesktop/DBus", service, "AddMatch", $0) != nil }
  }

  private static let manager = "/org/freedesktop/NetworkManager"

  /// All properties of an object of NetworkManager, by name; none without an answer that has any.
  private func properties(_ path: String, _ kind: String = "") -> [String: Record] {
    let name = "org.freedesktop.NetworkManager"
    let all = ask(name, path, "org.freedesktop.DBus.Properties", "GetAll", name + kind) ?? []
    return Dictionary(all.map { ($0.first ?? "", $0.dropFirst()) }, uniquingKeysWith: { first, _ in first })
  }

  /// The network by NetworkManager (nm-dbus-types): metered if anything is that may carry the default route, and not metered only
  /// if that is known of everything.
  ///
  /// Which connection lies below a tunnel, a bridge or a VLAN is not always said, so all may.
  var network: (isMetered: Bool?, name: String?) {
    let state = properties(Self.manager)
    let links = (state["ActiveConnections"] ?? []).map { path in
      (path: path, properties(path, ".Connection.Active"))
    }
    func carriesDefault(_ path: String, _ link: [String: Record]) -> Bool {
      [path] == state["PrimaryConnection"] || link["Default"] == ["1"] || link["Default6"] == ["1"]
    }
    var used = links.filter { carriesDefault($0.path, $0.1) }
    var name = used.first?.1["Id"]?.first
    let physical = ["802-3-ethernet", "802-11-wireless", "gsm", "cdma", "bluetooth"]
    if used.isEmpty || !used.allSatisfy({ physical.contains($0.1["Type"]?.first ?? "") }) { used = links }
    var answers: [Bool?] = []
    for (_, link) in used {
      let metered = (link["Devices"] ?? []).map { isMetered(properties($0, ".Device")["Metered"]) }
      if metered.contains(true) { name = link["Id"]?.first }
      answers += metered.isEmpty ? [nil] : metered
    }
    // The device of a tunnel may be a guess that the manager repeats.
    let own = isMetered(state["Metered"])
    if own == true || answers.contains(true) { return (true, name) }
    return (answers.isEmpty ? own : answers.contains(nil) ? nil : false, name)
  }

  /// `NMMetered`: yes and guess-yes, no and guess-no.
  private func isMetered(_ value: Record?) -> Bool? {
    value.flatMap { ["1": true, "3": true, "2": false, "4": false][$0.first ?? ""] }
  }
}
