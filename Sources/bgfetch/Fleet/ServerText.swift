// The messages for errors of the server that keeps the state of several machines.

import Core
import Store

/// The message about an error of the store of a server; nil if its store is a file.
func serverText(_ failure: StoreFailure) -> String? {
  func isServer(_ path: String) -> Bool { !path.hasPrefix("/") }
  return switch failure {
  case .unreachable(let place, let detail):
    "\(place): cannot be reached: \(cleanText(detail, limit: 500)); check the server, its pg_hba.conf and state: {postgres: …}"
  case .refused(let place, let code, let detail):
    "\(place): \(cleanText(detail, limit: 500))" + (serverCure(code).map { " (\(code)); \($0)" } ?? "")
  case .sharedSession(let place):
    "\(place): a pooler gives each transaction another session, without the locks and settings of this one; set pool_mode = session "
      + "for the database (pgbouncer.ini), or name the server itself in state: {postgres: …}"
  case .notPrepared(let place):
    "\(place): has no tables of this version of bgfetch; make them with bgfetch fleet prepare"
  case .takenForDead(let place):
    "\(place): had no sign of life from this run for so long that another machine took its feeds over; the next run goes on"
  case .busy(let place, let detail) where isServer(place):
    "\(place): \(cleanText(detail, limit: 300)); others keep it busy, try again"
  case .cannotOpen(let place, let detail) where isServer(place):
    "\(place): \(detail); " + (serverCure("42501") ?? "")
  case .corrupt(let place, let detail) where isServer(place):
    "\(place): holds what bgfetch did not write (\(cleanText(detail, limit: 200))); restore a backup"
  case .foreign(let place) where isServer(place):
    "\(place): its schema bgfetch is another program's; name another database in state: {postgres: …}"
  case .belongsTo(_, let place) where isServer(place):
    "\(place): other machines have just agreed on another configuration; run again"
  default: nil
  }
}

/// The cure for an error code of PostgreSQL; nil without a code.
private func serverCure(_ code: String) -> String? {
  switch code {
  case "": nil
  case StoreFailure.uselessPlace: "correct state: {postgres: …}, and password beside it"
  case "28000", "28P01":
    "check user and password in state: {postgres: …, password: …}, and pg_hba.conf on the server"
  case "3D000": "make the database with createdb, or correct dbname in state: {postgres: …}"
  case "42501": "grant the role its rights, as database.sql of examples/fleet does"
  case "3F000", "42703", "42883", "42P01":
    "run bgfetch fleet prepare for the tables, and see that the role may use the schema bgfetch"
  case "25006":
    "name the primary, or several hosts and target_session_attrs=read-write, in state: {postgres: …}"
  case "53100": "free some space where the server keeps its data"
  case "53300": "raise max_connections on the server, or use PgBouncer with pool_mode = session"
  case "57014": "the server was too busy; try again"
  default:
    code.hasPrefix("57P") || code.hasPrefix("08") ? "try again when the server is up" : "see the server's log"
  }
}
