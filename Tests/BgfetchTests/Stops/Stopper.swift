// Stops the program at its effects on files, or makes them fail: Fixtures/stop.c, preloaded into it.

import Foundation
import TestKit

/// How the program is stopped at one of its effects.
enum Stop: Sendable, CustomStringConvertible {
  /// It is killed after the effect.
  case kill
  /// It is killed in the middle of the effect, if that writes.
  case tear
  /// The effect fails with an errno, and later ones do not.
  case failure(Int32)
  /// The effect and all later ones fail with an errno.
  case failures(Int32)

  var description: String {
    switch self {
    case .kill: "killed after"
    case .tear: "killed in"
    case .failure(let code): "\(String(cString: strerror(code))) at"
    case .failures(let code): "\(String(cString: strerror(code))) from"
    }
  }

  fileprivate var environment: [String: String] {
    switch self {
    case .kill: ["STOP_HOW": "kill"]
    case .tear: ["STOP_HOW": "tear"]
    case .failure(let code): ["STOP_HOW": "\(code)"]
    case .failures(let code): ["STOP_HOW": "\(code)", "STOP_REST": "yes"]
    }
  }
}

/// The built shared object.
final class Stopper: Sendable {
  private let directory: TemporaryDirectory

  /// The C compiler of this machine; the Swift toolchain brings one along.
  static let compiler: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let places = path.split(separator: ":").flatMap { ["\($0)/clang", "\($0)/cc"] }
    return places.first { access($0, X_OK) == 0 }
  }()

  /// What the compiler said.
  struct NotBuilt: Error {
    let errors: String
  }

  /// Builds it.
  init() async throws {
    directory = try TemporaryDirectory()
    let source = try directory.write(fixture(named: "stop.c"), to: "stop.c")
    let errors = directory.file("errors")
    let compiled = try await ChildProgram(
      Self.compiler ?? "", ["-shared", "-fPIC", "-o", directory.file("stop.so"), source],
      environment: ProcessInfo.processInfo.environment, directory: directory.path, errors: .file(errors)
    ).ended()
    guard compiled == 0 else { throw NotBuilt(errors: String(decoding: try readFile(errors), as: UTF8.self)) }
  }

  /// The variables with which a program counts its effects below its home, and is stopped at one of them.
  func environment(_ bgfetch: BuiltProgram, _ stop: Stop?, at number: Int?) -> [String: String] {
    var variables = [
      "LD_PRELOAD": directory.file("stop.so"), "STOP_BELOW": bgfetch.home.path + "/",
      "STOP_COUNT": bgfetch.home.file("effects"),
    ]
    if let number { variables["STOP_AT"] = "\(number)" }
    return variables.merging(stop?.environment ?? [:]) { $1 }
  }
}

/// Whether every effect is stopped at, and not only some of each scenario.
let stopsEverywhere = ProcessInfo.processInfo.environment["BGFETCH_TEST_ALL_STOPS"] == "1"

/// The effects to stop at, counted from 1: where one kind of effect follows another, evenly spread.
func stops(at effects: [String], atMost limit: Int) -> [Int] {
  if stopsEverywhere { return Array(1...max(1, effects.count)) }
  // The pages of one transaction are all alike as long as it is not committed.
  let changes = effects.indices.filter { $0 == 0 || effects[$0] != effects[$0 - 1] }.flatMap { [$0, $0 + 1] }
  let candidates = Set(changes).filter { 1...effects.count ~= $0 }.sorted()
  guard candidates.count > limit else { return candidates }
  return (0..<limit).map { candidates[($0 * 2 + 1) * candidates.count / (limit * 2)] }
}
