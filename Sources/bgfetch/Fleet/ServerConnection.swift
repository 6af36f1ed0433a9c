// The connection to the PostgreSQL database that machines share, and its clock.

import Core
import Fleet
import Machine
import Store

extension PostgresSettings {
  /// The connection to the database that several machines share.
  init(_ server: StateServer, password: String?) {
    self.init(
      connection: server.connection, password: password, name: "bgfetch, process \(Machine.processIdentifier)"
    )
  }
}

extension Invocation {
  /// The configured database and its password.
  func configuredServer() async throws -> (StateServer, String?) {
    let settings = try configuration().settings
    let server = try server(of: settings)
    return (server, try await password(of: server))
  }

  /// The configured database; fails if the state is in a directory.
  func server(of settings: Settings) throws -> StateServer {
    guard let server = settings.server else {
      throw ProgramFailure.usage(
        "the state is in the directory \(settings.state), and no database is configured; write "
          + "state: {postgres: \"host=db.example dbname=bgfetch\"} into \(settings.path)")
    }
    return server
  }

  /// Opens the store of a database.
  func connectedStore(
    _ server: StateServer, _ settings: Settings, for mode: StoreMode, within limit: Interval
  ) async throws -> Store {
    var database = PostgresSettings(server, password: try await password(of: server))
    database.machine = Machine.name
    database.onlyReads = mode == .reading
    database.patience = mode == .reading ? .zero : min(limit, .seconds(30))
    let (thread, signs) = (try ActorThread(), try ActorThread())
    return try await thread.run { [database] in
      try Store.open(database, directory: settings.state, on: thread, signs: signs, clock: TaskClock())
    }
  }

  /// The password of a database; nil if none is configured.
  func password(of server: StateServer) async throws -> String? {
    guard let secret = server.password else { return nil }
    switch await SecretReader(supervisor: Supervisor()).read(secret, environment: environment) {
    case .success(let password): return password
    case .failure(let failure): throw ProgramFailure.noPassword("state: password: \(secretText(failure))")
    }
  }

  /// The clock by which the moments in a store are right: where machines share it, the clock of its server.
  func clock(of store: Store) async throws -> WallClock {
    while true {
      let before = clock.timestamp()
      guard let time = try await store.time() else { return clock }
      let after = clock.timestamp()
      // Not what was asked before a connection was lost, and answered after.
      let duration = after.millisecondsSince1970 - before.millisecondsSince1970
      if (0..<1000).contains(duration) { return clock.set(to: time, between: before, and: after) }
    }
  }
}

/// Sends a request, and cancels it at the end of the hold on what it is sent for, unless that is put off meanwhile.
func withinHold(
  _ hold: HoldEnd, _ send: @escaping @Sendable () async -> Result<Response, FetchFailure>
) async -> Result<Response, FetchFailure> {
  guard hold.end != nil else { return await send() }
  return await withTaskGroup(of: Result<Response, FetchFailure>?.self) { group in
    group.addTask { await send() }
    group.addTask {
      while let end = hold.end, end > .now, (try? await WallClock.sleep(for: end - .now)) != nil {}
      return nil
    }
    var result: Result<Response, FetchFailure>?
    while result == nil, let next = await group.next() {
      result = next
      group.cancelAll()
    }
    return result ?? .failure(.suspended)
  }
}

/// Waits, after an outage of the server, for the next sign of life, but no longer than a run tries to connect.
func untilHeld(_ hold: HoldEnd) async {
  for _ in 0..<300 where !Task.isCancelled && hold.isOver {
    try? await WallClock.sleep(for: .milliseconds(100))
  }
}
