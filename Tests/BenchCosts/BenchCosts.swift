// `make bench`: the costs of runs, compared with curl doing the same work, on a site that nginx serves on this machine.

import ArgumentParser
import Foundation

@main struct BenchCosts: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-costs", abstract: "Measure what runs cost, beside curl doing the same work",
    discussion: """
      Each round runs bgfetch and then its floor, with the same files and the same server, so that a busy machine slows
      both. CPU time includes that of children, but not nginx's. The ratio is the median of the ratios of the rounds.
      """)

  @Argument(help: "The program to measure.")
  var program = ".build/release/bgfetch"

  @Option(help: "The number of feeds.")
  var feeds = 2000

  @Option(help: "The number of rounds.")
  var rounds = 5

  @Option(help: "A case to measure (default: all).")
  var only: [Case] = Case.allCases

  @Option(help: "Write a chart to this file.")
  var svg: String?

  func validate() throws {
    guard feeds > 0, rounds > 0 else { throw ValidationError("use at least one feed and one round") }
    for tool in [program, "/usr/bin/curl", "/usr/bin/openssl", Site.nginx] {
      guard FileManager.default.isExecutableFile(atPath: tool) else {
        throw ValidationError("\(tool) is missing; see scripts/setup bench")
      }
    }
  }

  func run() throws {
    // The measured programs have directories of their own.
    let program = URL(fileURLWithPath: program).path
    let chart = svg.map { URL(fileURLWithPath: $0) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "bgfetch-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let site = try Site(in: folder.appending(path: "site"), feeds: feeds)
    defer { site.stop() }
    let bench = Bench(program: program, site: site, folder: folder, rounds: rounds)
    let results = try Case.allCases.filter(only.contains).map { wanted in
      FileHandle.standardError.write(Data("\(wanted.rawValue)\n".utf8))
      return try bench.measure(wanted)
    }
    print(table(results))
    if let chart { try chartText(results).write(to: chart, atomically: true, encoding: .utf8) }
  }
}

extension Case: ExpressibleByArgument {}
