// `bgfetch init`: writes a first configuration, and prints the next steps.

import ArgumentParser
import Config
import Core
import Machine

struct InitCommand: ProgramCommand {
  static let heading = ("init", "Write a first configuration, with a feed and a hook that work")

  @OptionGroup var common: ConfigurationOption

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let (path, hook) = try invocation.writeFirstConfiguration()
    let named = invocation.namedConfiguration ?? invocation.environment["BGFETCH_CONFIG"] ?? ""
    let steps = nextSteps(
      wrote: path, hook: hook, isOfSystem: SystemPlaces.contains(configuration: path),
      isStandard: named.isEmpty)
    for line in steps { invocation.console.print(line) }
    return .success
  }
}

extension Invocation {
  /// Writes the first configuration, with this feed or an example; fails if there is one already.
  ///
  /// - Returns: the path of the file, and the name of its hook.
  func writeFirstConfiguration(
    with feed: NamedSubscription? = nil
  ) throws -> (path: String, hook: String) {
    let path = firstConfigurationFile
    let isOfSystem = SystemPlaces.contains(configuration: path)
    let hasDesktop = !isOfSystem && Popup.canBeShown
    // The state directory of a configuration that names none.
    let standard = StandardDirectories(environment: environment, home: home)
    let state =
      standard.serviceState
      ?? (isOfSystem ? SystemPlaces.state : standard.state + "/bgfetch")
    let text = firstConfiguration(hasDesktop: hasDesktop, log: state + "/news.txt", feed: feed)
    do throws(FileFailure) {
      // The services do not run as root, and must be able to read it.
      try isOfSystem ? makePublicDirectory(around: path) : makePrivateDirectory(around: path)
      try NewFile.create(path, with: Array(text.utf8), permissions: isOfSystem ? 0o644 : 0o600)
      // The hook writes there, and can be tested before the first run. The services make a directory of their own.
      if !hasDesktop, !isOfSystem { try makePrivateDirectory(state) }
    } catch {
      guard error.problem == .exists else {
        throw ProgramFailure.file(error, purpose: "the first configuration")
      }
      throw ProgramFailure.usage("\(path): already exists and was not changed; bgfetch check checks it")
    }
    return (path, hasDesktop ? "desktop" : "file")
  }

  /// The absolute path where this program first looks for a configuration.
  var firstConfigurationFile: String {
    let candidates = StandardDirectories(environment: environment, home: home).configurationFiles
    return absolutePath(namedConfiguration ?? candidates[0])
  }
}

/// The path of the new configuration and the next steps; `isStandard` is whether bgfetch finds it without `--config`.
func nextSteps(wrote file: String, hook: String, isOfSystem: Bool, isStandard: Bool) -> [String] {
  let named = isStandard ? "" : " --config \(shellWord(file))"
  let wrote = ["wrote \(file): Debian's news, and the hook \(hook)", ""]
  if isOfSystem {
    let ofTimer = file == SystemPlaces.configuration ? "" : named
    return wrote + ["Next:"]
      + table([
        ["  bgfetch check\(named)", "reports problems, if there are any"],
        ["  bgfetch install-timer --system\(ofTimer)", "lets systemd fetch what is due every five minutes"],
        ["  journalctl -u bgfetch", "shows its messages"],
      ])
  }
  return wrote + ["Try it:"]
    + table([
      ["  bgfetch check\(named)", "reports problems, if there are any"],
      ["  bgfetch run -v\(named)", "fetches what is due; items already there do not count as new"],
      ["  bgfetch hooks test \(hook)\(named)", "shows what a notification looks like"],
    ])
    + ["", "Run it every five minutes, by systemd or cron:", "  bgfetch install-timer\(named)"]
}
