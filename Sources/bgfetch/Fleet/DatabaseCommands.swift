// `bgfetch fleet prepare` and `copy`: the PostgreSQL database that several machines share.

import ArgumentParser
import Core
import Fleet
import Machine
import Running
import Store

struct FleetPrepareCommand: ProgramCommand {
  static let heading = ("prepare", "Make the tables of the configured database, or update them")

  @OptionGroup var common: CommonOptions

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let found = try Store.prepare(try await invocation.configuredServer())
    let text =
      switch found {
      case 0: "The tables are made; bgfetch run can begin, on any machine with this configuration."
      case ..<Store.schemaVersion:
        "The tables are up to date. Machines with the version before go on; update bgfetch there too."
      default: "The tables were up to date."
      }
    invocation.console.print(
      json: [JSONValue(["type": "fleet", "found": found, "schema": Store.schemaVersion])], text: [text])
    return .success
  }
}

struct FleetCopyCommand: ProgramCommand {
  static let heading = ("copy", "Copy the state of a directory to the configured database, or back")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("A state directory, or postgres for the database.", valueName: "from"))
  var source: String

  @Argument(help: ArgumentHelp("Likewise; there must be no state yet.", valueName: "to"))
  var target: String

  func validate() throws {
    if (source == "postgres") == (target == "postgres") {
      throw ValidationError("write postgres in place of one of them, and a directory in place of the other")
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let server = try await invocation.configuredServer()
    let isToServer = target == "postgres"
    let directory = absolutePath(isToServer ? source : target)
    if isToServer {
      guard Store.exists(in: directory) else {
        throw ProgramFailure.usage("\(directory): has no state of bgfetch; name a state directory")
      }
      try Store.requireSafety(of: directory, isOnlyRead: true)
    } else {
      try makePrivateDirectory(directory)
      try Store.requireSafety(of: directory)
    }
    // No run may change the directory meanwhile; the store takes the locks of the database.
    let locks = try [LockName.run, .transfers].map {
      try invocation.acquire(directory + "/\($0.text).lock")
    }
    defer { for lock in locks { lock.release() } }
    let rows =
      try isToServer
      ? Store.copy(fromDirectory: directory, to: server)
      : Store.copy(from: server, toDirectory: directory)
    invocation.console.print(
      json: [JSONValue(["type": "fleet", "rows": rows])],
      text: ["\(rows) rows copied. The copied state is unchanged; use one of them only."])
    return .success
  }
}
