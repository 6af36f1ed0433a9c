// `install-timer`: reads the machine's units, and carries out the steps.

import Core
import Glibc
import Machine

/// The installation and removal of units on this machine.
struct TimerSetup {
  private let invocation: Invocation
  private let order: InstallTimerCommand

  init(_ invocation: Invocation, _ order: InstallTimerCommand) {
    (self.invocation, self.order) = (invocation, order)
  }

  /// Makes systemd start runs, and returns the steps.
  func install(_ program: TimedProgram) async throws -> [TimerStep] {
    try await requireManager()
    if let foreign = try found().first(where: { order.unit.files.contains($0.name) && !$0.isOwn }) {
      throw ProgramFailure.usage(
        "\(foreign.path): was not written by bgfetch install-timer; move it away, then run this command again"
      )
    }
    let files = order.unit.files.map { name in
      let shipped = String(decoding: shippedUnit(name, order.scope), as: UTF8.self)
      return UnitFile(
        path: directory + name, text: unitText(shipped, starting: program, every: order.period))
    }
    let other = await run(order.scope.systemctl + ["is-enabled", "--quiet", order.unit.other.rawValue])
    return try await carryOut(
      installSteps(order.unit, order.scope, files, otherIsEnabled: other?.ending == .exited(0)))
  }

  /// Removes what `install` wrote, and returns the steps.
  func uninstall() async throws -> [TimerStep] {
    let steps = uninstallSteps(order.scope, found: try found())
    if !steps.isEmpty { try await requireManager() }
    return try await carryOut(steps)
  }

  private func carryOut(_ steps: [TimerStep]) async throws -> [TimerStep] {
    for step in order.print ? [] : steps {
      switch step {
      case .write(let file):
        try naming("the unit") { () throws(FileFailure) in
          try makePrivateDirectory(around: file.path)
          try AtomicFile.replace(file.path, with: Array(file.text.utf8), permissions: 0o644)
        }
      case .remove(let path):
        guard unlink(path) == 0 || errno == ENOENT else {
          throw ProgramFailure.usage(
            "\(path): cannot be removed; remove it yourself, then run this command again")
        }
      case .run(let command): try await require(command)
      }
    }
    return steps
  }

  private func requireManager() async throws {
    guard !order.print else { return }
    let state = await run(order.scope.systemctl + ["is-system-running"])?.firstLine ?? ""
    guard ["", "offline", "unknown"].contains(state) else { return }
    throw ProgramFailure.usage(
      "systemd cannot be reached; after su or sudo, log in as the user instead; without systemd, put the line of bgfetch "
        + "install-timer --cron into your crontab")
  }

  /// The directory of the user's or administrator's own units, which override those of packages.
  private var directory: String {
    (order.scope == .user ? invocation.directories.configuration : "/etc")
      + "/systemd/\(order.scope.rawValue)/"
  }

  /// The units in this directory.
  private func found() throws -> [UnitFile] {
    try TimerUnit.allFiles.compactMap { name in
      do throws(FileFailure) {
        let bytes = try readFile(directory + name, limit: ByteCount(1 << 20))
        return UnitFile(path: directory + name, text: String(decoding: bytes, as: UTF8.self))
      } catch {
        if error.problem == .missing { return nil }
        throw ProgramFailure.file(error, purpose: "the unit")
      }
    }
  }
}

/// The unit of `examples` that the build embedded.
private func shippedUnit(_ name: String, _ scope: TimerScope) -> [UInt8] {
  switch (name, scope) {
  case ("bgfetch.service", .user): PackageResources.user_bgfetch_service
  case ("bgfetch.service", .system): PackageResources.system_bgfetch_service
  case ("bgfetch-transfers.service", .user): PackageResources.user_bgfetch_transfers_service
  case ("bgfetch-transfers.service", .system): PackageResources.system_bgfetch_transfers_service
  case ("bgfetch-watch.service", .user): PackageResources.user_bgfetch_watch_service
  case ("bgfetch-watch.service", .system): PackageResources.system_bgfetch_watch_service
  default: PackageResources.user_bgfetch_timer
  }
}

// MARK: Programs

extension TimerSetup {
  /// Runs a program of PATH; nil if it is not installed.
  private func run(_ words: [String]) async -> CommandResult? {
    let path = invocation.environment["PATH"]
    guard let program = words.first,
      (try? findProgram(program, path: path, directory: invocation.home)) != nil
    else { return nil }
    // systemctl --user finds its manager by these.
    let session = SessionBus.find(environment: invocation.environment)?.additions ?? [:]
    let command = Command(
      program, Array(words.dropFirst()), environment: invocation.environment.merging(session) { $1 },
      directory: invocation.home, limit: .seconds(60), outputLimit: 1 << 20)
    return await command.run()
  }

  private func require(_ words: [String]) async throws {
    let result = await run(words)
    guard result?.ending != .exited(0) else { return }
    let errors = result.map { String(decoding: $0.errorTail, as: UTF8.self) } ?? "it is not installed"
    throw ProgramFailure.other(
      ["\(words.joined(separator: " ")): failed: \(lastLine(of: errors, limit: 500))"], .internalError)
  }
}
