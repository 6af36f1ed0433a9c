// `bgfetch check`: the problems of a configuration, and warnings.

import ArgumentParser
import Config
import Core
import Machine
import Running
import Store

struct CheckCommand: ProgramCommand {
  static let heading = (
    "check", "Check the configuration and report every problem; parse shows what a page or feed has"
  )

  @OptionGroup var common: CommonOptions

  @Flag(help: "Print the JSON Schema of the configuration, for editors, and exit.")
  var schema = false

  @Flag(help: "Also use the database and the bucket as a run does, and fail if that fails.")
  var connect = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let console = invocation.console
    if schema {
      let schema = configurationSchema()
      console.unwrapped.print(json: [schema], text: [schema.indentedText])
      return .success
    }
    let loaded: LoadedConfiguration
    do {
      loaded = try invocation.configuration()
    } catch ProgramFailure.configuration(let problems) where console.isJSON {
      for problem in problems {
        console.print(
          JSONValue([
            "type": "problem", "file": problem.file, "line": problem.line, "column": problem.column,
            "what": problem.what, "cure": problem.cure,
          ]))
      }
      return .configuration
    }
    let settings = loaded.settings
    _ = try invocation.zone(settings)
    if connect { try await invocation.tryPlaces(settings) }
    let (warnings, catalog) = await invocation.warnings(about: loaded)
    for warning in warnings { console.say(warning, .warning) }
    console.print(
      json: [
        JSONValue([
          "type": "check", "file": settings.path, "files": loaded.files, "feeds": settings.feeds.count,
          "catalog": catalog, "hooks": settings.hooks.count, "warnings": warnings,
        ])
      ],
      text: [checkText(loaded, catalog: catalog, warnings)])
    return .success
  }
}

/// The summary of a valid configuration, in one line; `catalog` is the number of feeds that the catalog adds.
func checkText(_ loaded: LoadedConfiguration, catalog: Int, _ warnings: [String]) -> String {
  let settings = loaded.settings
  let found = warnings.isEmpty ? "no problems" : counted(warnings.count, "warning")
  let others = loaded.files.count > 1 ? " and \(counted(loaded.files.count - 1, "included file"))" : ""
  return "\(settings.path)\(others): \(counted(settings.feeds.count, "feed"))"
    + (catalog > 0 ? ", \(catalog) more in the catalog, " : ", ")
    + "\(counted(settings.hooks.count, "hook")), \(found)"
}

extension Invocation {
  /// The warnings about a valid configuration, one line each, and how many feeds the catalog adds.
  func warnings(about loaded: LoadedConfiguration) async -> (warnings: [String], catalog: Int) {
    let settings = loaded.settings
    let space = (lowSpace(settings).map { [$0.line.text] } ?? []) + outputWarnings(settings)
    let stored = await storedFindings(settings)
    let warnings =
      loaded.warnings.map(\.text)
      + (loaded.findings.map(safetyText) + safetyWarnings(settings)
      + programWarnings(settings) + networkWarnings(settings) + space
      + stored.warnings).map { "warning: " + $0 }
    return (warnings, stored.catalog)
  }

  /// Warnings about state, badge and documents that another user could change.
  ///
  /// A missing state directory is not a problem: it will be created with mode 0700. A documents directory may be shared
  /// with a group.
  private func safetyWarnings(_ settings: Settings) -> [String] {
    let documents = DocumentsDirectory(settings.spool).refusals.map { "documents: " + safetyText($0) }
    guard !settings.hasStateOfServices else {
      // The content of the state directory rightly belongs to the user of the services.
      return settings.spool.hasPrefix(settings.state + "/") ? [] : documents
    }
    let badge = settings.badge.map { safetyWarnings("badge", $0) } ?? []
    return safetyWarnings("state", settings.state) + badge + documents
  }

  /// Warnings about outputs that could not be written.
  private func outputWarnings(_ settings: Settings) -> [String] {
    // The user of the services writes them, and may write other directories than root.
    guard !isServiceStateReadByRoot(settings) else { return [] }
    return settings.outputs.flatMap { output -> [String] in
      if let missing = missingDirectory(of: output) { return [missing] }
      let directory = PathParts(output.path).directory
      let findings = safetyWarnings("output", output.path)
      if findings.isEmpty, !mayCreateFiles(in: directory) {
        return ["output \(output.path): you may not write to the directory \(directory); change its owner"]
      }
      return findings
    }
  }

  private func safetyWarnings(_ purpose: String, _ path: String) -> [String] {
    // An error here is reported when the path is used.
    let findings = (try? FileSafety().findings(path, mayBeMissing: true)) ?? []
    return findings.map { "\(purpose): \(safetyText($0))" }
  }

  /// Warnings from the stored state: another owner, missing directories, and what earlier runs learned about feeds; and the
  /// number of feeds that the catalog adds.
  private func storedFindings(_ settings: Settings) async -> (warnings: [String], catalog: Int) {
    do {
      let state = try await open(settings, for: .reading)
      let used = try await state.store.usedDirectories()
      let joined = try await state.withCatalog()
      let learned = try await joined.learnedWarnings()
      let catalog = joined.settings.feeds.count - settings.feeds.count
      if let owner = await state.otherOwner() { return ([owner], catalog) }
      return ((goneDirectory(settings, used: used).map { [$0.line.text] } ?? []) + learned, catalog)
    } catch {
      return (storedWarnings(about: error, settings), 0)
    }
  }

  private func storedWarnings(about error: any Error, _ settings: Settings) -> [String] {
    switch error {
    // Another process soon releases it.
    case StoreFailure.busy: return []
    case ProgramFailure.file(let failure, _):
      let warning = "state: " + fileText(failure)
      return safetyWarnings(settings).contains(warning) ? [] : [warning]
    case ProgramFailure.other(let lines, _): return lines
    default: return ["state: " + ((error as? StoreFailure).map(storeText) ?? "cannot be read: \(error)")]
    }
  }

  /// A warning about an unreadable CA file.
  private func networkWarnings(_ settings: Settings) -> [String] {
    guard let file = settings.network.caFile, (try? readFile(file, limit: ByteCount(64 << 20))) == nil else {
      return []
    }
    return ["ca-file \(file) cannot be read; every https feed will fail"]
  }

  /// Warnings about programs of hooks and feeds that others could change, or that cron does not find: its PATH is
  /// /usr/bin and /bin (crontab(5)).
  private func programWarnings(_ settings: Settings) -> [String] {
    let ofHooks = settings.hooks.compactMap { hook -> (String, String)? in
      guard case .one(let template)? = hook.run.first, template.placeholders.isEmpty else { return nil }
      return ("hook \(hook.name)", template.filled { _, _ in "" })
    }
    let ofFeeds = settings.feedSettings.flatMap { owner, spec in
      [spec.command, spec.conditions?.command ?? [], spec.download?.conditions?.command ?? []]
        .compactMap(\.first).map { (owner, $0) }
    }
    return (ofHooks + ofFeeds).compactMap { owner, program in
      mistake(inProgram: program).map { "\(owner): \($0)" }
    }
  }

  /// Why a run of cron would not start a program; nil if it would.
  private func mistake(inProgram program: String) -> String? {
    do throws(StartFailure) {
      if let file = try? findProgram(program, path: "/usr/bin:/bin", directory: home) {
        try requireSafe(program: file)
        return nil
      }
      try requireSafe(program: findProgram(program, path: environment["PATH"], directory: home))
      return "cron does not find \(program) in its PATH; write its full path"
    } catch .notFound {
      return "there is no program \(program); install it, or write its full path"
    } catch {
      return startText(error)
    }
  }
}

extension OpenedState {
  /// Warnings about facts that earlier runs have learned about feeds.
  fileprivate func learnedWarnings() async throws -> [String] {
    let feeds = settings.feeds.named(try await store.feedsWithRemarks())
    let states = try await store.states(of: feeds)
    return feeds.flatMap { feed in
      var warnings: [String] = []
      guard let state = states[feed.name] else { return warnings }
      if let move = state.learnedMove { warnings.append("feed \(feed.name) " + movedText(move.address)) }
      if let cut = cutDocument(state.identity) { warnings.append("feed \(feed.name): \(cut)") }
      return warnings
    }
  }
}
