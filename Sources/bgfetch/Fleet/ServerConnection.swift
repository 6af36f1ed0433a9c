// The connection to the PostgreSQL database that machines share, and its clock.

import Core
import Fleet
import Machine
import Running
import Store

extension Invocation {
  /// The configured database with its password; fails if the state is in a directory.
  func configuredServer() async throws -> PostgresSettings {
    try await withPassword(try server(of: try configuration().settings))
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
    try await Store.connected(
      to: try await withPassword(server), for: mode, within: limit, directory: settings.state)
  }

  /// A database with its password, if one is configured.
  private func withPassword(_ server: StateServer) async throws -> PostgresSettings {
    guard let secret = server.password else { return PostgresSettings(server, password: nil) }
    do throws(SecretFailure) {
      let password = try await SecretReader(environment: environment).read(secret)
      return PostgresSettings(server, password: password)
    } catch {
      throw ProgramFailure.other(["state: password: \(secretText(error))"], .storage)
    }
  }
}

extension OpenedState {
  /// The clock by which the moments in the store are right: where machines share it, the clock of its server.
  func storeClock() async throws -> WallClock { try await clock.set(to: store) }

  /// The present moment by that clock.
  func storeTime() async throws -> Instant { try await storeClock().now() }
}

extension SecretReader {
  /// Reads the keys of a bucket.
  func keys(of bucket: BucketSpec) async throws(DocumentsProblem) -> BucketKeys {
    do throws(FetchFailure) {
      guard let secret = bucket.secretKey else {
        throw .noSecret("no keys; write access-key and secret-key")
      }
      let access = try await text(bucket.accessKey, for: "access-key")
      return (access, try await text(.secret(secret), for: "secret-key"))
    } catch {
      var detail = error.text
      if case .noSecret(let why) = error { detail = why }
      throw .denied(path: bucket.address, detail: detail)
    }
  }
}

extension Invocation {
  /// Tries the database and the bucket; fails if runs could not use them.
  func tryPlaces(_ settings: Settings) async throws {
    let state = try await open(settings, for: .writing, within: .zero)
    try await state.store.requireRights()
    if settings.bucket != nil {
      let documents = settings.documents
      try await state.withEffects { try await $0.documents(documents).prepare(wasUsed: false) }
    }
    await state.store.close()
  }
}
