// `bgfetch hooks`.

import ArgumentParser
import Config
import Core
import Host
import StateStore

struct HooksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hooks", abstract: "Show what hooks were not told yet, and deal with it")

  @OptionGroup var common: CommonOptions

  @Argument(help: "What to do with deliveries; test runs one hook with a sample.")
  var action = Action.list

  @Argument(
    help: ArgumentHelp("Hooks; all of them for none, but test takes one.", valueName: "hook"),
    completion: .hookNames)
  var hooks: [String] = []

  /// What can be done with deliveries.
  enum Action: String, ExpressibleByArgument, CaseIterable {
    /// List those that wait, died or expired.
    case list
    /// Let the next run try dead and expired ones again.
    case retry
    /// Forget those that wait, died or expired.
    case drop
    /// Run a hook with a sample event.
    case test
  }

  func validate() throws {
    if action == .test, hooks.count != 1 { throw ValidationError("test takes one hook") }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      switch action {
      case .list: return try await invocation.listDeliveries(of: hooks, settings)
      case .retry:
        return try await invocation.change(hooks, settings, "to be tried again") { store, hook in
          defer { WakeFile.touch(settings.wakeFile) }
          return try await store.retryDeliveries(hook: hook, at: invocation.clock.now())
        }
      case .drop:
        return try await invocation.change(hooks, settings, "dropped") { store, hook in
          try await store.dropDeliveries(hook: hook)
        }
      case .test: return await invocation.test(try configuredHook(hooks.first ?? "", settings), settings)
      }
    }
  }
}

extension Invocation {
  fileprivate func listDeliveries(of hooks: [String], _ settings: Settings) async throws -> ExitStatus {
    let store = try await openStoreToShow(settings)
    for hook in hooks { try await expectHook(hook, settings, store) }
    let deliveries = try await store.deliveries([.pending, .running, .dead, .expired], limit: 1000)
      .filter { hooks.isEmpty || hooks.contains($0.hook) }
    if console.isJSON {
      for delivery in deliveries { console.print(deliveryJSON(delivery)) }
    } else {
      let lines = deliveryLines(deliveries, now: clock.now(), in: try zone(settings), on: console.page)
      for line in lines { console.print(line) }
    }
    return .success
  }

  /// Changes the deliveries of some hooks and says how many.
  fileprivate func change(
    _ hooks: [String], _ settings: Settings, _ what: String, _ body: (Store, String?) async throws -> Int
  ) async throws -> ExitStatus {
    let store = try await openStore(settings, for: .writing)
    for hook in hooks { try await expectHook(hook, settings, store) }
    var count = 0
    for hook in hooks.isEmpty ? [nil] : hooks.map(Optional.some) { count += try await body(store, hook) }
    if console.isJSON {
      console.print(.object([("type", .string("hooks")), ("deliveries", .number(Int64(count)))]))
    } else {
      console.print("\(counted(count, "delivery", "deliveries")) \(what)")
    }
    return .success
  }

  fileprivate func test(_ hook: HookSpec, _ settings: Settings) async -> ExitStatus {
    let verdict = hookEndText(await runSample(of: hook, settings))
    if console.isJSON {
      console.print(
        .object([
          ("type", .string("hook-test")), ("hook", .string(hook.name)), ("told", .bool(verdict.isDelivered)),
          ("text", .string(verdict.text)),
        ]))
    } else {
      console.print("\(hook.name): \(verdict.text)")
    }
    if hook.needsSessionBus, SessionBus.find(environment: environment) == nil {
      console.say(
        "warning: \(hook.name): there is no session bus here; a run keeps what it would tell until you are logged in",
        .warning)
    }
    return verdict.isDelivered ? .success : .internalError
  }

  /// Refuses a name that neither the configuration nor a delivery knows: a hook that has left the configuration may
  /// still have deliveries.
  private func expectHook(_ name: String, _ settings: Settings, _ store: Store) async throws {
    let isKnown = try await !store.deliveries([.pending, .running, .dead, .expired], hook: name, limit: 1)
      .isEmpty
    if !isKnown { _ = try configuredHook(name, settings) }
  }
}

/// A hook by its name; a name that no hook has is a wrong command line.
private func configuredHook(_ name: String, _ settings: Settings) throws -> HookSpec {
  guard let hook = settings.hooks.first(where: { $0.name == name }) else {
    let near = nearest(name, among: settings.hooks.map(\.name))
    throw ProgramFailure.usage(
      "no hook is called \"\(name)\"" + (near.map { "; did you mean \"\($0.word)\"?" } ?? ""))
  }
  return hook
}
