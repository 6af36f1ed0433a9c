// Checks that the program installs the systemd units of examples.

import Foundation
import TestKit
import Testing

@Suite struct UnitTests {
  @Test(arguments: [([], "examples/"), (["--system"], "examples/system/")])
  func `install-timer writes the units of examples, with the path of the program`(
    options: [String], folder: String
  ) throws {
    let program = try Repository.program()
    let units = try printed(program, options)
    for (unit, directory) in [
      ("bgfetch.service", folder), ("bgfetch-transfers.service", folder), ("bgfetch.timer", "examples/"),
    ] {
      let example = try Repository.text(directory + unit)
        .replacing("ExecStart=/usr/local/bin/bgfetch", with: "ExecStart=\(program.path)")

      #expect(units.contains("/" + unit + ":"))
      #expect(units.contains(example), "\(unit)")
    }
    let watch = try Repository.text(folder + "bgfetch-watch.service")
      .replacing("ExecStart=/usr/local/bin/bgfetch", with: "ExecStart=\(program.path)")
    #expect(try printed(program, options + ["--watch"]).contains(watch))
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")),
    arguments: try Repository.files(below: "examples", endingIn: ".service")
      + Repository.files(below: "examples", endingIn: ".timer"))
  func `systemd-analyze finds nothing wrong with a unit`(path: String) throws {
    let directory = try TemporaryDirectory()
    let scope = path.contains("/system/") ? "--system" : "--user"
    // systemd-analyze looks for units that name one another in one directory.
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    for file in try Repository.files(below: "examples", endingIn: "")
    where file.hasPrefix(folder + "/bgfetch") || file == "examples/bgfetch.timer" {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      let text = try Repository.text(file).replacing("/usr/local/bin/bgfetch", with: "/bin/true")
      try directory.write(text, to: name)
    }

    let name = path.split(separator: "/").last.map(String.init) ?? path
    let instance = name.replacing("@.", with: "@1.")
    let verified = try run(
      URL(filePath: "/usr/bin/systemd-analyze"),
      ["verify", "--man=no", "--recursive-errors=no", scope, directory.file(instance)])

    #expect(verified.output.split(separator: "\n").filter { $0.contains("bgfetch") } == [])
  }

  /// The units that would be written, without the option that names their configuration.
  private func printed(_ program: URL, _ options: [String]) throws -> String {
    let directory = try TemporaryDirectory()
    let configuration = try directory.write("feeds: {planet: https://planet.example/}\n", to: "bgfetch.yaml")
    // The services of a machine run as a user of their own, who must be able to read it.
    chmod(directory.path, 0o755)
    chmod(configuration, 0o644)
    return try run(
      program, ["install-timer", "--print", "--config", configuration] + options,
      environment: ["HOME": directory.path, "PATH": directory.path]
    ).output.replacing(" --config " + configuration, with: "")
  }
}
