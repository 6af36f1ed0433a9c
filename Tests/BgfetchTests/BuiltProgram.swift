// Runs the built program as a user would: with a configuration, a state directory and a server of its own.

import Foundation
import TestKit

/// What one invocation printed and how it ended.
struct Invoked {
  /// What it printed on stdout.
  var output: String
  /// What it printed on stderr.
  var errors: String
  /// Its exit status; 128 + n after signal n.
  var status: Int32

  /// The lines of stdout.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The JSON objects of stdout, a line each.
  var json: [[String: Any]] {
    lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }
}

/// The built program with a home of its own.
final class BuiltProgram: Sendable {
  /// Everything it may touch.
  let home: TemporaryDirectory

  /// The program with a configuration; `STATE` in it stands for its state directory, `HOME` for its home.
  init(configuration: String? = nil) throws {
    home = try TemporaryDirectory()
    if let configuration { try configure(configuration) }
  }

  /// The state directory.
  var state: String { home.file("state") }

  /// The configuration's path.
  var configurationPath: String { home.file("bgfetch.yaml") }

  /// Writes the configuration anew.
  func configure(_ text: String) throws {
    let text = "state: \(state)\n" + text.replacingOccurrences(of: "HOME", with: home.path)
    _ = try home.write(text, to: "bgfetch.yaml")
    chmod(configurationPath, 0o600)
  }

  /// The path of the built program: it lies beside the tests that run.
  static var path: String {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appendingPathComponent("bgfetch").path
  }

  /// Runs it to its end.
  func callAsFunction(
    _ arguments: String..., environment: [String: String] = [:], input: String? = nil
  ) async throws -> Invoked {
    try await started(arguments, environment: environment, input: input).ended()
  }

  /// Runs a shell command in which `$BGFETCH` is the program.
  func shell(_ command: String) async throws -> Invoked {
    try await startedShell(["-c", command]).ended()
  }

  /// Starts a shell that knows the program as `$BGFETCH`.
  func startedShell(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(
      "/bin/sh", arguments, environment: self.environment.merging(environment) { $1 }, input: nil, in: home)
  }

  private var environment: [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home.path, "BGFETCH_CONFIG": configurationPath,
      "TZ": "UTC",
      "BGFETCH": Self.path,
    ]
  }

  /// Starts it.
  func started(
    _ arguments: [String], environment: [String: String] = [:], input: String? = nil
  ) throws -> RunningProgram {
    try RunningProgram(
      Self.path, arguments,
      environment: self.environment.merging(environment) { $1 }, input: input, in: home)
  }

  /// The badge file's content.
  var badge: String { (try? String(contentsOfFile: state + "/badge", encoding: .utf8)) ?? "none" }

  /// What a hook that appends to this file has written so far.
  func text(of name: String) -> String {
    (try? String(contentsOfFile: home.file(name), encoding: .utf8)) ?? ""
  }

  /// Writes a shell script that hooks can run, and gives its path.
  func script(_ name: String, _ body: String) throws -> String {
    let path = try home.write("#!/bin/sh\n" + body + "\n", to: name)
    chmod(path, 0o700)
    return path
  }
}

/// The program while it runs; it is killed when it is let go before its end.
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

  /// What it has printed on stderr so far.
  var errors: String { text(errorFile) }

  /// Sends it a signal.
  func signal(_ number: Int32) { child.signal(number) }

  /// In how many seconds the earliest of its timers (timerfd_create(2)) goes off; nil where none is set.
  var nextTimer: Int? {
    let directory = "/proc/\(child.number)/fdinfo"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    // In the form `it_value: (86399, 123456789)`; one that is not set is all zeros.
    let values = files.flatMap { text(directory + "/" + $0).split(separator: "\n") }.filter {
      $0.hasPrefix("it_value: (") && $0 != "it_value: (0, 0)"
    }
    return values.compactMap { Int($0.dropFirst("it_value: (".count).prefix { $0 != "," }) }.min()
  }

  /// Waits for its end.
  func ended() async -> Invoked {
    let status = await child.ended()
    return Invoked(output: text(outputFile), errors: text(errorFile), status: status)
  }

  private func text(_ file: String) -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
}

/// Whether this process may mount a file system for itself.
let mayMount =
  geteuid() == 0
  && (try? Process.run(
    URL(fileURLWithPath: "/usr/bin/unshare"), arguments: ["-m", "mount", "-t", "tmpfs", "none", "/mnt"],
    terminationHandler: nil)).map { process in
      process.waitUntilExit()
      return process.terminationStatus == 0
    } ?? false

/// A small RSS document.
func rss(_ items: [(id: String, title: String)], title: String = "Planet") -> String {
  let entries = items.map { item in
    "<item><guid isPermaLink=\"false\">\(item.id)</guid><title>\(item.title)</title>"
      + "<link>https://planet.example/\(item.id)</link></item>"
  }
  return "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>\(title)</title>"
    + "<link>https://planet.example/</link>" + entries.joined() + "</channel></rss>"
}

extension ScriptedServer {
  /// Serves a feed with items of these ids, with validators made of them.
  func feed(_ path: String, _ ids: [String], title: String = "Planet") {
    let body = rss(ids.map { ($0, "Title of \($0)") }, title: title)
    on(path, .document(body, etag: "\"\(ids.joined(separator: "-"))\"", lastModified: nil))
  }
}
