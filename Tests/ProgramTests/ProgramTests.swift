// Tests of the built program, run as a user runs it: a configuration, a state directory and a server for each test.
//
// Shared by all folders: BuiltProgram starts the program, ScriptedServer (TestKit) answers it, moment(_:) is the clock.
// Tests of single functions belong to the module of the function; those of the program's own module are BgfetchTests. This target
// does not import that module, so that it is compiled beside it.

import Foundation
import Synchronization
import TestKit
import Testing

/// The output and exit status of one invocation.
struct Invoked {
  var output: String
  var errors: String
  /// Its exit status; 128 + n after signal n.
  var status: Int32

  /// The lines of stdout.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  fileprivate func expect(
    _ status: Int32?, _ whole: String?, _ output: String?, _ errors: String?, _ location: SourceLocation
  ) {
    if let status { #expect(self.status == status, "\(self.errors)", sourceLocation: location) }
    if let whole { #expect(self.output == whole, "\(self.errors)", sourceLocation: location) }
    if let output { #expect(self.output.contains(output), "\(self.errors)", sourceLocation: location) }
    if let errors { #expect(self.errors.contains(errors), sourceLocation: location) }
  }

  /// The JSON objects of stdout, a line each.
  var json: [[String: Any]] { jsonLines(output) }

  /// The results of a run by feed.
  var results: [String: String] {
    Dictionary(
      json.compactMap { line in (line["feed"] as? String).map { ($0, line["result"] as? String ?? "") } },
      uniquingKeysWith: { $1 })
  }
}

/// The built program with a home of its own.
final class BuiltProgram: Sendable {
  /// The home directory; the program writes nowhere else.
  let home: TemporaryDirectory
  /// The servers that live as long as this.
  private let servers = Mutex<[ScriptedServer]>([])

  /// Creates the home, shell scripts by name, and the configuration, in which `HOME` is replaced by the home directory.
  init(scripts: KeyValuePairs<String, String> = [:], configuration: String? = nil) throws {
    home = try TemporaryDirectory()
    for (name, body) in scripts { _ = try script(name, body) }
    if let configuration { try configure(configuration) }
  }

  /// The program with feeds at the paths of their names, with keys of each of them and more lines of YAML; each has a host
  /// of its own if they are to be fetched at the same time.
  convenience init(
    _ server: ScriptedServer, _ feeds: [String] = ["planet"], keys: String = "", more: String = "",
    scripts: KeyValuePairs<String, String> = [:], haveOwnHosts: Bool = false
  ) throws {
    let lines = feeds.map { name in
      let url = haveOwnHosts ? server.url("/" + name, host: name + ".localhost") : server.url("/" + name)
      return "  \(name): {url: \"\(url)\"\(keys.isEmpty ? "" : ", " + keys)}\n"
    }
    try self.init(scripts: scripts, configuration: more + "\nfeeds:\n" + lines.joined())
  }

  /// This, which keeps a server alive.
  func keeping(_ server: ScriptedServer) -> BuiltProgram {
    servers.withLock { $0.append(server) }
    return self
  }

  var state: String { home.file("state") }

  var configurationPath: String { home.file("bgfetch.yaml") }

  /// Replaces the configuration.
  func configure(_ text: String) throws {
    let text = "state: \(state)\n" + text.replacingOccurrences(of: "HOME", with: home.path)
    _ = try home.write(text, to: "bgfetch.yaml")
    chmod(configurationPath, 0o600)
  }

  /// Replaces a text in the configuration.
  func edit(_ old: String, to new: String) throws {
    _ = try home.write(text(of: "bgfetch.yaml").replacing(old, with: new), to: "bgfetch.yaml")
  }

  /// The path of the built program: that in `BGFETCH_TEST_PROGRAM`, else the one that was built with these tests.
  static var path: String {
    if let program = getenv("BGFETCH_TEST_PROGRAM") { return String(cString: program) }
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appendingPathComponent("bgfetch").path
  }

  /// Runs the program until it ends, at the given time if there is one, and expects its status, its whole output, and parts of
  /// its output and its errors, as far as they are given.
  @discardableResult
  func callAsFunction(
    _ arguments: String..., at time: String? = nil, environment: [String: String] = [:], input: String? = nil,
    status: Int32? = nil, prints whole: String? = nil, output: String? = nil, errors: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) async throws -> Invoked {
    try await callAsFunction(
      arguments, at: time, environment: environment, input: input, status: status, prints: whole,
      output: output, errors: errors, location: location)
  }

  /// Runs the program with a list of arguments, and expects the same.
  @discardableResult
  func callAsFunction(
    _ arguments: [String], at time: String? = nil, environment: [String: String] = [:], input: String? = nil,
    status: Int32? = nil, prints whole: String? = nil, output: String? = nil, errors: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) async throws -> Invoked {
    let ended = try await started(arguments, at: time, environment: environment, input: input).ended()
    ended.expect(status, whole, output, errors, location)
    return ended
  }

  /// Runs a shell command in which `$BGFETCH` is the program, and expects the same.
  @discardableResult
  func shell(
    _ command: String, status: Int32? = nil, prints whole: String? = nil, output: String? = nil,
    errors: String? = nil, location: SourceLocation = #_sourceLocation
  ) async throws -> Invoked {
    let ended = try await startedShell(["-c", command]).ended()
    ended.expect(status, whole, output, errors, location)
    return ended
  }

  /// Starts a shell that knows the program as `$BGFETCH`.
  func startedShell(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(
      "/bin/sh", arguments, environment: self.environment.merging(environment) { $1 }, input: nil, in: home)
  }

  private var environment: [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home.path, "BGFETCH_CONFIG": configurationPath,
      "TZ": "UTC", "BGFETCH": Self.path,
    ]
  }

  /// Starts the program.
  func started(
    _ arguments: [String], at time: String? = nil, environment: [String: String] = [:], input: String? = nil
  ) throws -> RunningProgram {
    var variables = self.environment.merging(environment) { $1 }
    if let time { variables["BGFETCH_NOW"] = time }
    return try RunningProgram(Self.path, arguments, environment: variables, input: input, in: home)
  }

  /// The content of the badge file, or `none`.
  var badge: String { (try? String(contentsOfFile: state + "/badge", encoding: .utf8)) ?? "none" }

  /// The content of the file `said` in the home directory, to which most hooks of tests append.
  var said: String { text(of: "said") }

  /// The content of a file in the home directory, for example one that a hook appends to.
  func text(of name: String) -> String {
    (try? String(contentsOfFile: home.file(name), encoding: .utf8)) ?? ""
  }

  /// The JSON objects in a file of the home directory, one per line.
  func json(of name: String) -> [[String: Any]] { jsonLines(text(of: name)) }

  /// Writes a hook that appends each event to the file `events` as one line of JSON, and returns its path.
  func eventLog() throws -> String {
    try script("log", "line=$(tr -d '\\n'); printf '%s\\n' \"$line\" >> \"$HOME/events\"")
  }

  /// Creates a directory in the home directory, with its parents, and returns its path.
  @discardableResult
  func makeDirectory(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: home.file(name), withIntermediateDirectories: true)
    return home.file(name)
  }

  /// Writes a shell script for hooks and returns its path.
  func script(_ name: String, _ body: String) throws -> String {
    let path = try home.write("#!/bin/sh\n" + body + "\n", to: name)
    chmod(path, 0o700)
    return path
  }
}

/// A suite whose tests each have a server.
class ServerSuite {
  let server: ScriptedServer

  init() throws { server = try ScriptedServer() }
}

/// A running program; deinitialising this value kills it.
final class RunningProgram: Sendable {
  private let child: ChildProgram
  private let outputFile: String
  private let errorFile: String

  init(
    _ path: String, _ arguments: [String], environment: [String: String], input: String?,
    in home: TemporaryDirectory
  ) throws {
    let name = UUID().uuidString
    outputFile = home.file("out." + name)
    errorFile = home.file("err." + name)
    let inputFile = try input.map { try home.write($0, to: "in." + name) }
    child = try ChildProgram(
      path, arguments, environment: environment, directory: home.path,
      input: inputFile.map { .file($0) } ?? .nothing, output: .file(outputFile), errors: .file(errorFile))
  }

  /// The output on stdout so far.
  var output: String { text(outputFile) }

  /// The output on stderr so far.
  var errors: String { text(errorFile) }

  /// Its number.
  var process: Int32 { child.number }

  func signal(_ number: Int32) { child.signal(number) }

  /// The seconds until its earliest timer (timerfd_create(2)) expires, or nil if no timer is set.
  var nextTimer: Int? {
    let directory = "/proc/\(child.number)/fdinfo"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    // The form is `it_value: (86399, 123456789)`; a timer that is not set has zeros.
    let values = files.flatMap { text(directory + "/" + $0).split(separator: "\n") }.filter {
      $0.hasPrefix("it_value: (") && $0 != "it_value: (0, 0)"
    }
    return values.compactMap { Int($0.dropFirst("it_value: (".count).prefix { $0 != "," }) }.min()
  }

  /// Waits until the program ends.
  func ended() async -> Invoked {
    let status = await child.ended()
    return Invoked(output: text(outputFile), errors: text(errorFile), status: status)
  }

  private func text(_ file: String) -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
}

/// Expects members of a JSON object: truths, whole numbers and texts.
func expect(
  _ object: [String: Any]?, _ members: [String: any Sendable & Equatable],
  location: SourceLocation = #_sourceLocation
) {
  for (key, wanted) in members {
    let found = object?[key]
    let isSame =
      switch wanted {
      case let truth as Bool: found as? Bool == truth
      case let number as Int: found as? Int == number
      case let text as String: found as? String == text
      default: false
      }
    #expect(isSame, "\(key) is \(found ?? "missing"), not \(wanted)", sourceLocation: location)
  }
}

/// The JSON objects in a text, one per line.
func jsonLines(_ text: String) -> [[String: Any]] {
  text.split(separator: "\n").compactMap {
    try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
  }
}

/// The time this long after Monday, 2026-11-02 10:00 UTC, when most tests begin.
func moment(hours: Int = 0, minutes: Int = 0, seconds: Int = 0) -> String {
  Date(timeIntervalSince1970: 1_793_613_600 + Double(hours * 3600 + minutes * 60 + seconds)).formatted(
    .iso8601)
}

/// Whether everything is built with a sanitizer (`make sanitize`).
let isSanitized = getenv("BGFETCH_TEST_SANITIZED") != nil

/// Whether this process may mount a file system.
let mayMount =
  geteuid() == 0
  && (try? Process.run(
    URL(fileURLWithPath: "/usr/bin/unshare"), arguments: ["-m", "mount", "-t", "tmpfs", "none", "/mnt"],
    terminationHandler: nil)).map { process in
      process.waitUntilExit()
      return process.terminationStatus == 0
    } ?? false

// The public Internet, played by one server that the program uses as its proxy.

/// Public addresses and their responses; an address without one is 404.
final class PretendInternet: Sendable {
  private final class Answers: Sendable {
    let byAddress = Mutex<[String: ScriptedAnswer]>([:])
  }

  let server: ScriptedServer
  private let answers: Answers

  init() throws {
    let answers = Answers()
    self.answers = answers
    server = try ScriptedServer { request in
      answers.byAddress.withLock { $0[request.target] } ?? .status(404)
    }
  }

  /// The response of an address.
  subscript(address: String) -> ScriptedAnswer {
    get { answers.byAddress.withLock { $0[address] } ?? .status(404) }
    set { answers.byAddress.withLock { $0[address] = newValue } }
  }

  /// Sets the response of all known addresses.
  func answerAll(_ answer: ScriptedAnswer) {
    answers.byAddress.withLock { all in all = all.mapValues { _ in answer } }
  }

  /// The requested addresses, in order.
  var asked: [String] { server.requests.map(\.target) }

  /// A configuration of feeds by name and address, with this proxy and without delays.
  func configuration(_ feeds: KeyValuePairs<String, String>, network: String = "") -> String {
    "budget: none\nnetwork: {proxy: \"\(server.origin)\", delay-per-host: 0s\(network)}\ndefaults: {first-run: all}\nfeeds:\n"
      + feeds.map { "  \($0.key): \"\($0.value)\"\n" }.joined()
  }
}
